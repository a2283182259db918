/** Reads several tables as of one moment. */
import type { Db } from "./db.ts";

/** On Postgres, each statement would otherwise see the changes that were committed before it. */
export async function readConsistently<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  if (db.dialect !== "postgres") return await work(db);
  return await db.transaction(async (tx) => {
    await tx.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    return await work(tx);
  });
}
