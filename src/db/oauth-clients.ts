/** The oauth_clients table: the client the gateway is to the authorization server of an instance. */
import type { Db } from "./db.ts";
import { table } from "./table.ts";

export interface OauthClientRow {
  id: string;
  instance_id: string;
  issuer: string;
  /** Authorization server metadata (RFC 8414). */
  metadata: Record<string, unknown>;
  client_id: string;
  /** Sealed; null: a public client. */
  client_secret: string | null;
  redirect_uri: string;
  /** RFC 8707, as its protected-resource metadata says. */
  resource: string | null;
  created_at: string;
}

export const oauthClientTable = table<OauthClientRow>({
  name: "oauth_clients",
  columns: {
    id: "text",
    instance_id: "text",
    issuer: "text",
    metadata: "json",
    client_id: "text",
    client_secret: "text",
    redirect_uri: "text",
    resource: "text",
    created_at: "text",
  },
  search: [],
  sort: ["created_at"],
});

/** Of two that register at once the first one stays. */
export async function keepFirstClient(db: Db, row: OauthClientRow): Promise<void> {
  await db.run(
    `INSERT INTO oauth_clients (id, instance_id, issuer, metadata, client_id, client_secret,
       redirect_uri, resource, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     ON CONFLICT (instance_id) DO NOTHING`,
    row.id,
    row.instance_id,
    row.issuer,
    JSON.stringify(row.metadata),
    row.client_id,
    row.client_secret,
    row.redirect_uri,
    row.resource,
    row.created_at,
  );
}
