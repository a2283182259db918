/** Counts evaluations by filters. */

import { STATUSES } from "../../contract/guard/actions.ts";
import type { ActivityFilters } from "../../contract/guard/activity.ts";
import type { Db } from "../db.ts";
import { edgeOf, narrowed, USUAL_STATUS } from "./find-evaluations.ts";

/** Rows per step of a count on SQLite, where a query blocks the process. Postgres counts in one step. */
const COUNTED_AT_A_TIME = 20_000;
/** The same, if only an index is read. */
const INDEX_ROWS_AT_A_TIME = 100_000;

export async function countEvaluations(
  db: Db,
  filters: ActivityFilters,
): Promise<Record<string, number>> {
  const filtered = Object.entries(filters).filter(([, value]) => value !== undefined);
  if (filtered.every(([name]) => name === "from" || name === "to")) {
    return await countByIndex(db, filters);
  }
  const counts: Record<string, number> = {};
  let after: string | undefined;
  do {
    const walk = { order: "oldest", after } as const;
    const step = { ...walk, step: COUNTED_AT_A_TIME };
    const edge = db.dialect === "sqlite" ? await edgeOf(db, filters, step) : undefined;
    const { from, values, conditions } = narrowed(db, filters, { ...walk, edge });
    const rows = await db.many<{ status: string; count: number | string }>(
      `SELECT e.status, COUNT(*) AS count FROM ${from}
       WHERE ${conditions.join(" AND ") || "1 = 1"} GROUP BY e.status`,
      ...values,
    );
    for (const { status, count } of rows) counts[status] = (counts[status] ?? 0) + Number(count);
    after = edge;
    await new Promise(setImmediate); // yields to other requests
  } while (after !== undefined);
  return counts;
}

/** Counts without reading the rows: all by id, and each status but the usual one by its partial index. */
async function countByIndex(db: Db, filters: ActivityFilters): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  let after: string | undefined;
  do {
    const walk = { order: "oldest", after } as const;
    const step = { ...walk, step: INDEX_ROWS_AT_A_TIME };
    const edge = db.dialect === "sqlite" ? await edgeOf(db, filters, step) : undefined;
    const count = async (status?: ActivityFilters["status"]): Promise<number> => {
      const stretch = { ...walk, edge };
      const { from, values, conditions } = narrowed(db, { ...filters, status }, stretch);
      const row = await db.one<{ count: number | string }>(
        `SELECT COUNT(*) AS count FROM ${from} WHERE ${conditions.join(" AND ") || "1 = 1"}`,
        ...values,
      );
      return Number(row?.count ?? 0);
    };
    const [total, ...unusual] = await Promise.all([
      edge === undefined ? count() : INDEX_ROWS_AT_A_TIME,
      ...UNUSUAL_STATUSES.map(count),
    ]);
    let usual = total;
    for (const [index, status] of UNUSUAL_STATUSES.entries()) {
      const found = unusual[index] ?? 0;
      if (found > 0) counts[status] = (counts[status] ?? 0) + found;
      usual -= found;
    }
    if (usual > 0) counts[USUAL_STATUS] = (counts[USUAL_STATUS] ?? 0) + usual;
    after = edge;
    await new Promise(setImmediate); // yields to other requests
  } while (after !== undefined);
  return counts;
}

const UNUSUAL_STATUSES = [...STATUSES, "error" as const].filter(
  (status) => status !== USUAL_STATUS,
);
