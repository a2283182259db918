/** Checks that a client that an administrator configured belongs to the authorization server, so that its secret is sent to no other. */
import { AppError } from "../../contract/errors.ts";
import { oauthRegistrationTable } from "../../db/tables/oauth-registrations.ts";
import { type OauthServerRow, oauthServerTable } from "../../db/tables/oauth-servers.ts";
import type { Deps } from "../../deps.ts";
import { isSameServer } from "./is-same-server.ts";

/** Rejects a client that belongs to an earlier authorization server of the instance. */
export async function checkConfiguredClient(
  deps: Deps,
  server: OauthServerRow,
  client_id: string,
): Promise<void> {
  const { instance_id } = server;
  for (const earlier of await oauthServerTable.all(deps.db, { instance_id, state: "retired" })) {
    if (isSameServer(earlier.metadata, server.metadata)) continue;
    const where = { server_id: earlier.id, own: true, client_id };
    if (!(await oauthRegistrationTable.find(deps.db, where))) continue;
    throw new AppError(
      "conflict",
      `auth.client_id: the client belongs to ${earlier.issuer}. An administrator must register one at ${server.issuer} and set it in the instance.`,
    );
  }
}
