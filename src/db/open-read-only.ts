/** Opens a database read-only, without creating files next to it. */
import { constants, Database } from "bun:sqlite";
import { existsSync, statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { AppError } from "../contract/errors.ts";
import { type Db, openDb } from "./db.ts";
import { sqliteFile } from "./sqlite.ts";

export async function openReadOnly(url: string): Promise<Db> {
  const file = sqliteFile(url);
  if (file === undefined) return await openDb(url);
  if (!fileExists(file)) throw new AppError("not_found", `No database exists at ${file} yet.`);
  // `immutable` keeps SQLite from creating its two side files. If they exist, another process is writing, and they
  // must be read too.
  const options = existsSync(`${file}-wal`) ? "" : "?immutable=1";
  const flags = constants.SQLITE_OPEN_READONLY | constants.SQLITE_OPEN_URI;
  const sqlite = new Database(pathToFileURL(file).href + options, flags);
  const db: Db = {
    dialect: "sqlite",
    one: async <Row>(sql: string, ...values: (string | number | boolean | null)[]) =>
      (sqlite.query(sql).get(...values) ?? undefined) as Row | undefined,
    many: async <Row>(sql: string, ...values: (string | number | boolean | null)[]) =>
      sqlite.query(sql).all(...values) as Row[],
    run: () => Promise.reject(new Error("This database was opened read-only.")),
    transaction: (work) => work(db),
    onNotice: async () => {},
    close: async () => sqlite.close(),
  };
  return db;
}

/** Reports whether a file exists. Throws if it cannot be read. */
export const fileExists = (file: string): boolean =>
  statSync(file, { throwIfNoEntry: false }) !== undefined;
