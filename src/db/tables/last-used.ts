/** Writes the last use of keys and tokens in batches, without changing their versions. */
import type { Db } from "../db.ts";

const USED_TABLES = [
  "consumer_keys",
  "admin_tokens",
  "collector_keys",
  "service_clients",
  "principal_tokens",
] as const;
export type UsedTable = (typeof USED_TABLES)[number];

export async function writeLastUsed(
  db: Db,
  tableName: UsedTable,
  ids: readonly string[],
  at: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    // In a fixed order, so that two nodes cannot deadlock.
    for (const id of [...ids].sort()) {
      await tx.run(`UPDATE ${tableName} SET last_used_at = $1 WHERE id = $2`, at, id);
    }
  });
}
