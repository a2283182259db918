/** What is kept of an authorization server's answer: tokens sealed, times absolute. */
import type { OAuthTokens } from "@modelcontextprotocol/client";
import type { StoreCredentialRow } from "../../db/store-credentials.ts";
import type { Deps } from "../../deps.ts";
import { readJwt } from "../../lib/jwt.ts";
import { seal } from "../../lib/seal.ts";

export function credentialOf(deps: Deps, tokens: OAuthTokens, scopes: readonly string[]) {
  const at = deps.now();
  const { access_token, refresh_token, expires_in, scope } = tokens;
  return {
    access_token: seal(deps.keyring(), access_token),
    refresh_token: refresh_token === undefined ? null : seal(deps.keyring(), refresh_token),
    scopes: scope === undefined ? [...scopes] : scope.split(" ").filter(Boolean),
    expires_at:
      expires_in === undefined ? null : new Date(at.getTime() + expires_in * 1000).toISOString(),
    updated_at: at.toISOString(),
  } satisfies Partial<StoreCredentialRow>;
}

const ACCOUNT_MOST = 255;

/** For people to recognise; taken from the token endpoint itself, so its signature says nothing more. */
export function accountOf({ id_token }: OAuthTokens): string {
  const { claims = {} } = (id_token && readJwt(id_token)) || {};
  const name = claims.email ?? claims.preferred_username ?? claims.sub;
  return typeof name === "string" ? name.slice(0, ACCOUNT_MOST) : "";
}
