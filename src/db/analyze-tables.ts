/** Updates SQLite's table statistics; without them it prefers the index of an order to that of a filter. */
import type { Db } from "./db.ts";

export async function analyzeTables(db: Db): Promise<void> {
  if (db.dialect !== "sqlite") return; // Postgres has autovacuum.
  // A thousand rows of each index are enough and take milliseconds.
  await db.run("PRAGMA analysis_limit = 1000");
  // All tables (0x10000) that grew or shrank tenfold since the last analysis (0x02).
  await db.run("PRAGMA optimize = 0x10002");
}
