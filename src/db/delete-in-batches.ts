/** Deletes rows in small batches, so that other queries do not wait long. */
import { analyzeTables } from "./analyze-tables.ts";
import type { Db, Value } from "./db.ts";

/** On SQLite a batch blocks the process: 256 evaluations for about 7 ms, 1,000 for 20 ms. */
const BATCH_ROWS = 256;

/** Primary keys of tables without an `id`. */
const COMPOSITE_KEYS: Record<string, string> = { owned_files: "registry_id, file_id" };

export async function deleteInBatches(
  db: Db,
  table: string,
  condition: string,
  ...values: Value[]
): Promise<number> {
  const key = COMPOSITE_KEYS[table] ?? "id";
  let total = 0;
  for (;;) {
    const count = await db.run(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${BATCH_ROWS})`,
      ...values,
    );
    total += count;
    if (count < BATCH_ROWS) return total;
    // With the statistics of a small table, SQLite reads the whole table for every batch.
    if (total === BATCH_ROWS) await analyzeTables(db);
    await new Promise(setImmediate); // lets other queries run on SQLite
  }
}
