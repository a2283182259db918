/** Deletes rows in many small steps, so that nobody waits long for the database. */
import type { Db, Value } from "./db.ts";

const AT_A_TIME = 1_000;

export async function dropInSteps(
  db: Db,
  table: string,
  condition: string,
  ...values: Value[]
): Promise<number> {
  let total = 0;
  for (;;) {
    const count = await db.run(
      `DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE ${condition} LIMIT ${AT_A_TIME})`,
      ...values,
    );
    total += count;
    if (count < AT_A_TIME) return total;
    await new Promise(setImmediate); // on SQLite nobody else has a turn before
  }
}
