/** Describes an authorization server for the API and the audit log. */
import type { AuthorizationServerFacts } from "../../contract/store/authorization-servers.ts";
import type { OauthServerRow } from "../../db/tables/oauth-servers.ts";

export function describeAuthorizationServer({
  issuer,
  metadata,
  instance_id,
  seen_at,
}: OauthServerRow) {
  const text = (name: string) => {
    const value = metadata[name];
    return typeof value === "string" ? value : null;
  };
  return {
    instance_id,
    issuer,
    authorization_endpoint: text("authorization_endpoint") ?? "",
    token_endpoint: text("token_endpoint") ?? "",
    registration_endpoint: text("registration_endpoint"),
    seen_at,
  } satisfies AuthorizationServerFacts & { instance_id: string };
}
