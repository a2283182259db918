/** Opens a database to look at it: nothing in it changes, and nothing appears beside it. */
import { constants, Database } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { AppError } from "../contract/errors.ts";
import { type Db, openDb } from "./db.ts";
import { sqliteFile } from "./sqlite.ts";

export async function openToRead(url: string): Promise<Db> {
  const file = sqliteFile(url);
  if (file === undefined) return await openDb(url);
  if (!isThere(file)) throw new AppError("not_found", `There is no database at ${file} yet.`);
  // `immutable` keeps SQLite from making its two side files. When they are there already, somebody
  // else is writing, and they must be read too.
  const quiet = existsSync(`${file}-wal`) ? "" : "?immutable=1";
  const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
  const sqlite = new Database(pathToFileURL(file).href + quiet, flags);
  const db: Db = {
    dialect: "sqlite",
    one: async <Row>(sql: string, ...values: (string | number | boolean | null)[]) =>
      (sqlite.query(sql).get(...values) ?? undefined) as Row | undefined,
    many: async <Row>(sql: string, ...values: (string | number | boolean | null)[]) =>
      sqlite.query(sql).all(...values) as Row[],
    run: () => Promise.reject(new Error("This database was opened to be read.")),
    transaction: (work) => work(db),
    onNotice: async () => {},
    close: async () => sqlite.close(),
  };
  return db;
}

/** One that we may not look at is there all the same: then this throws. */
export const isThere = (file: string): boolean =>
  statSync(file, { throwIfNoEntry: false }) !== undefined;
