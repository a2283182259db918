/** Writes every row of the installation into one file, which can be restored to SQLite or Postgres. */
import { createWriteStream, renameSync, rmSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { AppError } from "../../contract/errors.ts";
import type { Db, Value } from "../db.ts";
import { migrations } from "../migrations/all.ts";
import { readConsistently } from "../read-consistently.ts";
import { schemaOf, schemaTables, type TableShape } from "../schema-tables.ts";

export const BACKUP_FORMAT = "portcullis-backup";
export const BACKUP_VERSION = 1;

const BATCH_ROWS = 500;

/** Writes a consistent copy without blocking writers. `db` must not be shared. */
export async function backup(db: Db, file: string, at: Date): Promise<{ rows: number }> {
  const schema = await knownSchema(db);
  const tables = await schemaTables(schema);
  // Renamed when complete, so that a partial file is never mistaken for a backup.
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
  "This database contains no installation. Check DATABASE_URL; portcullis start creates a new installation.";

export async function knownSchema(db: Db): Promise<string> {
  const schema = await schemaOf(db);
  if (schema === undefined) throw new AppError("not_found", NO_INSTALLATION);
  if (migrations.some(({ id }) => id === schema)) return schema;
  throw new AppError(
    "bad_settings",
    `The database has the migration "${schema}", which this release does not know. Use the release that created it.`,
  );
}

async function inSnapshot<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  if (db.dialect === "postgres") return await readConsistently(db, work);
  // Not db.transaction, which takes the write lock: in WAL mode a reader has a snapshot without it.
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
      const rows = await db.many<Record<string, unknown>>(`FETCH ${BATCH_ROWS} FROM backup_rows`);
      if (rows.length === 0) break;
      yield rows.map(portable);
    }
    await db.run("CLOSE backup_rows");
    return;
  }
  for (let after = -1; ; ) {
    const rows = await db.many<Record<string, unknown>>(
      `SELECT rowid AS row_number, ${names} FROM "${table.name}"
       WHERE rowid > $1 ORDER BY rowid LIMIT ${BATCH_ROWS}`,
      after,
    );
    if (rows.length === 0) return;
    after = Number(rows.at(-1)?.row_number);
    yield rows.map(portable);
  }
}

/** Converts values that the two databases return as different types. */
function plain(type: string, value: unknown): Value {
  if (value === null || value === undefined) return null;
  if (type === "BOOLEAN") return Boolean(value);
  if (typeof value === "string" || typeof value === "number") return value;
  if (typeof value === "bigint") return Number(value);
  throw new Error(`A backup cannot contain values of type ${type}.`);
}
