/** Reads the state of the database server: its clock, and whether it accepts writes. */
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

/** Reports whether Postgres rejects writes, such as a standby. SQLite has no such state. */
export async function isReadOnly(db: Db): Promise<boolean> {
  if (db.dialect === "sqlite") return false;
  const row = await db.one<{ value: string }>(
    "SELECT current_setting('transaction_read_only') AS value",
  );
  return row?.value === "on";
}
