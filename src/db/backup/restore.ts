/** Restores a backup into an empty installation, in one transaction. */
import { AppError } from "../../contract/errors.ts";
import { configRevision, setRevision } from "../config-revision.ts";
import type { Db, Value } from "../db.ts";
import { migrate } from "../migrate.ts";
import { schemaOf, schemaTables, type TableShape } from "../schema-tables.ts";
import { knownSchema } from "./backup.ts";
import { type BackupLines, type RowLine, readBackup } from "./read-backup.ts";

export interface RestoreOptions {
  file: string;
  at: Date;
  /** Deletes existing data first. */
  force: boolean;
}

export interface RestoreSummary {
  rows: number;
  /** Creation time of the backup. */
  created_at: string;
}

export async function restore(
  db: Db,
  { file, at, force }: RestoreOptions,
): Promise<RestoreSummary> {
  return await readBackup(file, (backup) =>
    db.transaction(async (tx) => {
      const { schema, created_at } = await backup.header();
      const revision = await clear(tx, force);
      await migrate(tx, at, schema);
      const rows = await fill(tx, await schemaTables(schema), backup);
      await migrate(tx, at);
      await moveRevision(tx, revision);
      return { rows, created_at };
    }),
  );
}

/** Tables that have rows in a new installation. */
const NEVER_EMPTY = ["config_revision", "installation"];

/** Drops all our tables and returns the previous configuration revision. */
async function clear(db: Db, force: boolean): Promise<number> {
  if ((await schemaOf(db)) === undefined) return 0;
  const tables = await schemaTables(await knownSchema(db));
  for (const { name } of tables.filter((table) => !NEVER_EMPTY.includes(table.name))) {
    const row = await db.one(`SELECT 1 AS one FROM "${name}" LIMIT 1`);
    if (!row || force) continue;
    throw new AppError(
      "conflict",
      `This installation is not empty (${name} has rows). Restore into an empty one, or add --force to delete the existing data.`,
    );
  }
  const revision = await configRevision(db);
  for (const { name } of [...tables].reverse()) await db.run(`DROP TABLE "${name}"`);
  await db.run("DROP TABLE migrations");
  return revision;
}

/** Sets a new revision, so that running nodes reload their configuration. */
async function moveRevision(db: Db, before: number): Promise<void> {
  const next = Math.max(before, await configRevision(db)) + 1;
  await setRevision(db, `${next}`);
}

/** Both databases accept this many values in one statement. */
const MAX_VALUES = 30_000;

async function fill(db: Db, tables: readonly TableShape[], backup: BackupLines): Promise<number> {
  // The rows that migrations insert are in the backup too.
  for (const { name } of [...tables].reverse()) await db.run(`DELETE FROM "${name}"`);
  const shapes = new Map(tables.map((table) => [table.name, table]));
  let rows = 0;
  let waiting: RowLine["row"][] = [];
  let table: TableShape | undefined;
  const write = async () => {
    if (table && waiting.length) await insertRows(db, table, waiting);
    waiting = [];
  };
  for await (const { table: name, row } of backup.rows()) {
    if (name !== table?.name) {
      await write();
      table = shapes.get(name);
    }
    // Names become part of statements, so only known ones are allowed.
    if (!table || Object.keys(row).some((member) => !hasColumn(table, member))) {
      throw new AppError(
        "validation_failed",
        `The backup contains an unknown table or column: ${name}.`,
      );
    }
    waiting.push(row);
    rows += 1;
    if (waiting.length >= MAX_VALUES / table.columns.length) await write();
  }
  await write();
  return rows;
}

const hasColumn = (table: TableShape | undefined, name: string): boolean =>
  table?.columns.some((column) => column.name === name) ?? false;

async function insertRows(db: Db, table: TableShape, rows: RowLine["row"][]): Promise<void> {
  const names = table.columns.map(({ name }) => name);
  const values: Value[] = [];
  const places = rows.map(
    (row) => `(${names.map((name) => `$${values.push(row[name] ?? null)}`).join(", ")})`,
  );
  const columns = names.map((name) => `"${name}"`).join(", ");
  await db.run(`INSERT INTO "${table.name}" (${columns}) VALUES ${places.join(", ")}`, ...values);
}
