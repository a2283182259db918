/** The principals table: known principals of a gateway with their last known groups. */
import type { Db } from "../db.ts";
import { table } from "../table.ts";

export interface PrincipalRow {
  id: string;
  gateway_id: string;
  principal_sub: string;
  groups: string[];
  seen_at: string;
}

export const principalTable = table<PrincipalRow>({
  name: "principals",
  columns: {
    id: "text",
    gateway_id: "text",
    principal_sub: "text",
    groups: "json",
    seen_at: "text",
  },
  search: ["principal_sub"],
  sort: ["principal_sub", "seen_at"],
});

/** Writes only if the groups have changed: this runs with every call of a principal. */
export async function savePrincipal(db: Db, row: PrincipalRow): Promise<void> {
  const { gateway_id, principal_sub } = row;
  const known = await principalTable.find(db, { gateway_id, principal_sub });
  if (known && Bun.deepEquals(known.groups, row.groups)) return;
  await db.run(
    `INSERT INTO principals (id, gateway_id, principal_sub, groups, seen_at)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (gateway_id, principal_sub)
     DO UPDATE SET groups = excluded.groups, seen_at = excluded.seen_at`,
    row.id,
    gateway_id,
    principal_sub,
    JSON.stringify(row.groups),
    row.seen_at,
  );
}

/** Caps the distinct sets of groups that are read. */
const MAX_GROUP_SETS = 10_000;

/** Returns the number of known principals by group. */
export async function countGroups(db: Db, gateway_id: string): Promise<Map<string, number>> {
  const rows = await db.many<{ groups: string; people: number }>(
    `SELECT groups, COUNT(*) AS people FROM principals WHERE gateway_id = $1
     GROUP BY groups LIMIT ${MAX_GROUP_SETS}`,
    gateway_id,
  );
  const counts = new Map<string, number>();
  for (const { groups, people } of rows) {
    const names: string[] = JSON.parse(groups);
    // Postgres returns counts as text.
    for (const name of new Set(names)) counts.set(name, (counts.get(name) ?? 0) + Number(people));
  }
  return counts;
}
