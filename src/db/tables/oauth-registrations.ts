/** The oauth_registrations table: the gateway's OAuth client at an authorization server, by redirect URI. */
import type { Db } from "../db.ts";
import { table } from "../table.ts";

export interface OauthRegistrationRow {
  id: string;
  server_id: string;
  redirect_uri: string;
  client_id: string;
  /** Sealed; null: a public client, or one of an administrator, whose secret is in the instance. */
  client_secret: string | null;
  /** An administrator registered it. */
  own: boolean;
  /** Time at which the authorization server rejected the client as unknown. */
  retired_at: string | null;
  created_at: string;
}

export const oauthRegistrationTable = table<OauthRegistrationRow>({
  name: "oauth_registrations",
  columns: {
    id: "text",
    server_id: "text",
    redirect_uri: "text",
    client_id: "text",
    client_secret: "text",
    own: "bool",
    retired_at: "text",
    created_at: "text",
  },
  search: [],
  sort: ["created_at"],
});

/** Inserts a client unless the same one exists: of two nodes that register at once, the first one wins. */
export async function insertRegistration(db: Db, row: OauthRegistrationRow): Promise<void> {
  await db.run(
    `INSERT INTO oauth_registrations (id, server_id, redirect_uri, client_id, client_secret, own, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT DO NOTHING`,
    row.id,
    row.server_id,
    row.redirect_uri,
    row.client_id,
    row.client_secret,
    row.own,
    row.created_at,
  );
}

/** Deletes clients that were retired before, unless an account or a pending sign-in belongs to them. */
export async function deleteRetiredRegistrations(db: Db, before: Date): Promise<void> {
  await db.run(
    `DELETE FROM oauth_registrations WHERE retired_at <= $1
       AND NOT EXISTS (SELECT 1 FROM oauth_flows f WHERE f.registration_id = oauth_registrations.id)
       AND NOT EXISTS (SELECT 1 FROM store_credentials c WHERE c.registration_id = oauth_registrations.id)`,
    before.toISOString(),
  );
}

/** Records that a client of an administrator belongs to a server. Empty `redirect_uri`: no sign-in has used it there. */
export const insertOwnClient = (
  { db, newId, now }: { db: Db; newId: () => string; now: () => Date },
  server_id: string,
  client_id: string,
  redirect_uri = "",
): Promise<void> =>
  insertRegistration(db, {
    id: newId(),
    server_id,
    redirect_uri,
    client_id,
    client_secret: null,
    own: true,
    retired_at: null,
    created_at: now().toISOString(),
  });
