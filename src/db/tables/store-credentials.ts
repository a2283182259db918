/** The store_credentials table: connected accounts, one per principal and instance, with sealed tokens. */
import type { Db } from "../db.ts";
import { table } from "../table.ts";

export interface StoreCredentialRow {
  id: string;
  gateway_id: string;
  principal_sub: string;
  instance_id: string;
  /** The client that the tokens were issued to; null: not known, so they are not used. */
  registration_id: string | null;
  /** Resource indicator (RFC 8707) of the tokens; empty: none, null: not recorded, so that of the server applies. */
  resource: string | null;
  /** The only sign-in that uses it; null: unknown, and no sign-in may use it. */
  sign_in: string | null;
  /** Sealed. */
  access_token: string;
  /** Sealed; null if the upstream issued none. */
  refresh_token: string | null;
  /** Account name reported by the upstream; empty if unknown. */
  account: string;
  scopes: string[];
  /** Expiry of the access token; null if unknown. */
  expires_at: string | null;
  /** Counts writes, so that a refresh that lost a race can detect it. */
  version: number;
  created_at: string;
  updated_at: string;
}

export const storeCredentialTable = table<StoreCredentialRow>({
  name: "store_credentials",
  columns: {
    id: "text",
    gateway_id: "text",
    principal_sub: "text",
    instance_id: "text",
    registration_id: "text",
    resource: "text",
    sign_in: "text",
    access_token: "text",
    refresh_token: "text",
    account: "text",
    scopes: "json",
    expires_at: "text",
    version: "number",
    created_at: "text",
    updated_at: "text",
  },
  search: ["principal_sub"],
  sort: ["created_at"],
});

type Renewed = Pick<
  StoreCredentialRow,
  "access_token" | "refresh_token" | "scopes" | "expires_at" | "updated_at"
>;

/** Writes renewed tokens. Returns false if the row has changed since `row` was read. */
export async function renewCredential(
  db: Db,
  row: StoreCredentialRow,
  next: Renewed,
): Promise<boolean> {
  const changed = await db.run(
    `UPDATE store_credentials
     SET access_token = $1, refresh_token = $2, scopes = $3, expires_at = $4, updated_at = $5,
       version = version + 1
     WHERE id = $6 AND version = $7`,
    next.access_token,
    next.refresh_token,
    JSON.stringify(next.scopes),
    next.expires_at,
    next.updated_at,
    row.id,
    row.version,
  );
  return changed > 0;
}

export async function countCredentials(db: Db, instance_id: string): Promise<number> {
  const row = await db.one<{ n: number }>(
    "SELECT COUNT(*) AS n FROM store_credentials WHERE instance_id = $1",
    instance_id,
  );
  return Number(row?.n ?? 0);
}
