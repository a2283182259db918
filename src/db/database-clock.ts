/** What time does the database think it is? */
import { statSync } from "node:fs";
import type { Db } from "./db.ts";
import { sqliteFile } from "./sqlite.ts";

/** Milliseconds. SQLite has no clock of its own: its last write must not lie in our future. */
export async function databaseClock(db: Db, url: string): Promise<number> {
  const file = sqliteFile(url);
  if (file !== undefined) return statSync(file).mtimeMs;
  const row = await db.one<{ ms: string }>(
    "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::text AS ms",
  );
  return Number(row?.ms);
}
