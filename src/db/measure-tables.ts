/** Tells SQLite how large its tables are: without that it prefers the index of an order to that of a filter. */
import type { Db } from "./db.ts";

export async function measureTables(db: Db): Promise<void> {
  if (db.dialect !== "sqlite") return; // Postgres measures by itself.
  // A thousand rows of each index are enough, and take milliseconds however many there are.
  await db.run("PRAGMA analysis_limit = 1000");
  // All tables (0x10000), those that grew or shrank tenfold since they were measured (0x02).
  await db.run("PRAGMA optimize = 0x10002");
}
