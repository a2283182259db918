/** Binds a client that an administrator configured to one authorization server, so that its secret is sent to no other. */
import { AppError } from "../../contract/errors.ts";
import { insertRegistration, oauthRegistrationTable } from "../../db/tables/oauth-registrations.ts";
import { type OauthServerRow, oauthServerTable } from "../../db/tables/oauth-servers.ts";
import type { Deps } from "../../deps.ts";
import { isSameServer } from "./discover-server.ts";

/** Records that the client belongs to `server`, even if no sign-in has used it there. */
export async function bindConfiguredClient(
  deps: Deps,
  server: OauthServerRow,
  client_id: string,
  redirect_uri = "",
): Promise<void> {
  await insertRegistration(deps.db, {
    id: deps.newId(),
    server_id: server.id,
    redirect_uri,
    client_id,
    client_secret: null,
    own: true,
    retired_at: null,
    created_at: deps.now().toISOString(),
  });
}

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
