/** The oauth_servers table: the authorization server of each instance, and a different one that is advertised. */
import type { Db } from "../db.ts";
import { table } from "../table.ts";

export interface OauthServerRow {
  id: string;
  instance_id: string;
  /** At most one row of an instance is `current`, and at most one is `advertised`. */
  state: "current" | "advertised" | "retired";
  issuer: string;
  /** Authorization server metadata (RFC 8414). */
  metadata: Record<string, unknown>;
  /** RFC 8707, as the protected-resource metadata says. */
  resource: string | null;
  seen_at: string;
  /** null: used since the first sign-in, without a confirmation. */
  confirmed_by: string | null;
  confirmed_at: string | null;
}

export const oauthServerTable = table<OauthServerRow>({
  name: "oauth_servers",
  columns: {
    id: "text",
    instance_id: "text",
    state: "text",
    issuer: "text",
    metadata: "json",
    resource: "text",
    seen_at: "text",
    confirmed_by: "text",
    confirmed_at: "text",
  },
  search: ["issuer"],
  sort: ["seen_at"],
});

/** Returns the ids of the instances of a gateway that advertise an unconfirmed authorization server. */
export async function instancesWithChangedServer(db: Db, gateway_id: string): Promise<Set<string>> {
  const rows = await db.many<{ id: string }>(
    `SELECT r.id FROM oauth_servers s JOIN registries r ON r.id = s.instance_id
     WHERE r.gateway_id = $1 AND s.state = 'advertised'`,
    gateway_id,
  );
  return new Set(rows.map(({ id }) => id));
}
