/** Writes every row of the installation into one file that either database can be restored from. */
import { createWriteStream, renameSync, rmSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { AppError } from "../contract/errors.ts";
import { schemaOf, schemaTables, type TableShape } from "./catalog.ts";
import type { Db, Value } from "./db.ts";
import { migrations } from "./migrations/all.ts";

export const BACKUP_FORMAT = "portcullis-backup";
export const BACKUP_VERSION = 1;

const ROWS_AT_ONCE = 500;

/** One moment of the database, however long it takes; writers are not held up. `db` must be used by nobody else. */
export async function backup(db: Db, file: string, at: Date): Promise<{ rows: number }> {
  const schema = await knownSchema(db);
  const tables = await schemaTables(schema);
  // Nobody takes a half-written file for a backup: it gets its name when it is whole.
  const part = `${file}.part`;
  const count = { rows: 0 };
  try {
    await inSnapshot(db, (tx) =>
      pipeline(
        Readable.from(backupLines(tx, tables, { schema, at, count })),
        createGzip(),
        createWriteStream(part, { mode: 0o600, flush: true }),
      ),
    );
  } catch (thrown) {
    rmSync(part, { force: true });
    throw thrown;
  }
  renameSync(part, file);
  return count;
}

const NO_INSTALLATION =
  "There is no installation in this database yet. See that DATABASE_URL names the right one; portcullis start makes a new one.";

export async function knownSchema(db: Db): Promise<string> {
  const schema = await schemaOf(db);
  if (schema === undefined) throw new AppError("not_found", NO_INSTALLATION);
  if (migrations.some(({ id }) => id === schema)) return schema;
  throw new AppError(
    "bad_settings",
    `The database has the schema step "${schema}", which this release does not know: use the release that made it.`,
  );
}

async function inSnapshot<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  if (db.dialect === "postgres") {
    return await db.transaction(async (tx) => {
      await tx.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
      return await work(tx);
    });
  }
  // Not db.transaction, which takes the write lock: a reader sees one moment without it (WAL).
  await db.run("BEGIN");
  try {
    return await work(db);
  } finally {
    await db.run("ROLLBACK");
  }
}

async function* backupLines(
  db: Db,
  tables: readonly TableShape[],
  { schema, at, count }: { schema: string; at: Date; count: { rows: number } },
): AsyncGenerator<string> {
  const header = { format: BACKUP_FORMAT, version: BACKUP_VERSION, schema };
  yield `${JSON.stringify({ ...header, created_at: at.toISOString() })}\n`;
  for (const table of tables) {
    for await (const rows of batches(db, table)) {
      count.rows += rows.length;
      yield rows.map((row) => `${JSON.stringify({ table: table.name, row })}\n`).join("");
    }
  }
  yield `${JSON.stringify({ end: true, rows: count.rows })}\n`;
}

type Row = Record<string, Value>;

async function* batches(db: Db, table: TableShape): AsyncGenerator<Row[]> {
  const names = table.columns.map(({ name }) => `"${name}"`).join(", ");
  const portable = (raw: Record<string, unknown>): Row =>
    Object.fromEntries(table.columns.map(({ name, type }) => [name, plain(type, raw[name])]));
  if (db.dialect === "postgres") {
    await db.run(`DECLARE backup_rows NO SCROLL CURSOR FOR SELECT ${names} FROM "${table.name}"`);
    for (;;) {
      const rows = await db.many<Record<string, unknown>>(`FETCH ${ROWS_AT_ONCE} FROM backup_rows`);
      if (rows.length === 0) break;
      yield rows.map(portable);
    }
    await db.run("CLOSE backup_rows");
    return;
  }
  for (let after = -1; ; ) {
    const rows = await db.many<Record<string, unknown>>(
      `SELECT rowid AS row_number, ${names} FROM "${table.name}"
       WHERE rowid > $1 ORDER BY rowid LIMIT ${ROWS_AT_ONCE}`,
      after,
    );
    if (rows.length === 0) return;
    after = Number(rows.at(-1)?.row_number);
    yield rows.map(portable);
  }
}

/** The two databases hand out the same value in different types. */
function plain(type: string, value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (type === "BOOLEAN") return Boolean(value);
  if (typeof value === "string" || typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  throw new Error(`A backup cannot hold the value of a column of type ${type}.`);
}
