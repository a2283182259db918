/** The audit_log table: append only. */
import type { AuditRow } from "../../contract/audit.ts";
import type { Db, Value } from "../db.ts";
import { likePattern, table } from "../table.ts";

export const auditTable = table<AuditRow>({
  name: "audit_log",
  columns: {
    id: "text",
    at: "text",
    actor: "text",
    actor_id: "text",
    action: "text",
    resource: "text",
    resource_id: "text",
    name: "text",
    gateway_id: "text",
    before: "json",
    after: "json",
    request_id: "text",
    trace_id: "text",
  },
  search: ["name", "action", "actor", "resource_id"],
  sort: ["-at"],
});

/** Returns the names of actors in alphabetical order, at most `limit`. */
export async function listActors(
  db: Db,
  {
    q = "",
    gateway_id,
    limit,
  }: { q?: string | undefined; gateway_id?: string | undefined; limit: number },
): Promise<string[]> {
  const values: Value[] = [likePattern(q)];
  const atGateway = gateway_id === undefined ? "" : `AND gateway_id = $${values.push(gateway_id)}`;
  const rows = await db.many<{ actor: string }>(
    `SELECT DISTINCT actor FROM audit_log WHERE LOWER(actor) LIKE $1 ESCAPE '\\' ${atGateway}
     ORDER BY actor LIMIT ${limit}`,
    ...values,
  );
  return rows.map(({ actor }) => actor);
}

/** Returns the id of the administrator's token that created a resource of one of these kinds; null: none, or unknown. */
export async function findCreator(
  db: Db,
  kinds: readonly string[],
  resource_id: string,
): Promise<string | null> {
  const places = kinds.map((_, at) => `$${at + 2}`).join(", ");
  const [row] = await db.many<{ actor_id: string | null }>(
    `SELECT actor_id FROM audit_log
     WHERE resource IN (${places}) AND resource_id = $1 AND action = resource || '.create'`,
    resource_id,
    ...kinds,
  );
  return row?.actor_id ?? null;
}
