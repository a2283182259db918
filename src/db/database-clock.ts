/** Reads the clock of the database. */
import { statSync } from "node:fs";
import type { Db } from "./db.ts";
import { sqliteFile } from "./sqlite.ts";

/** Returns milliseconds. SQLite has no clock: the time of its last write must not be in the future. */
export async function databaseClock(db: Db, url: string): Promise<number> {
  const file = sqliteFile(url);
  if (file !== undefined) return statSync(file).mtimeMs;
  const row = await db.one<{ ms: string }>(
    "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::text AS ms",
  );
  return Number(row?.ms);
}
