/** Which tables do we have? Asked of a catalog, so that no list can forget a later one. */
import type { Db } from "./db.ts";
import { openDb } from "./db.ts";
import { migrate } from "./migrate.ts";

export interface TableShape {
  name: string;
  columns: { name: string; type: string }[];
}

/**
 * The tables of the schema as of the step `until`, each after those it refers to. The catalog is that
 * of an empty database made for the purpose: a shared Postgres may hold tables that are not ours.
 */
export async function schemaTables(until?: string): Promise<TableShape[]> {
  const db = await openDb("sqlite::memory:");
  try {
    await migrate(db, new Date(0), until);
    const names = (await tableNames(db)).filter((name) => name !== "migrations");
    const shapes = new Map<string, TableShape>();
    const referred = new Map<string, string[]>();
    for (const name of names) {
      const columns = await db.many<{ name: string; type: string }>(`PRAGMA table_info(${name})`);
      shapes.set(name, { name, columns: columns.map(({ name, type }) => ({ name, type })) });
      const keys = await db.many<{ table: string }>(`PRAGMA foreign_key_list(${name})`);
      referred.set(
        name,
        keys.map(({ table }) => table),
      );
    }
    return inOrder(names, referred).flatMap((name) => shapes.get(name) ?? []);
  } finally {
    await db.close();
  }
}

/** Every table of this database, ours or not. */
export async function tableNames(db: Db): Promise<string[]> {
  const sql =
    db.dialect === "sqlite"
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
      : "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()";
  return (await db.many<{ name: string }>(sql)).map(({ name }) => name).sort();
}

/** The newest step the schema of this database has taken; undefined when it has no schema yet. */
export async function schemaOf(db: Db): Promise<string | undefined> {
  if (!(await tableNames(db)).includes("migrations")) return undefined;
  const row = await db.one<{ id: string | null }>("SELECT MAX(id) AS id FROM migrations");
  return row?.id ?? undefined;
}

function inOrder(names: readonly string[], referred: ReadonlyMap<string, string[]>): string[] {
  const ordered: string[] = [];
  const place = (name: string, above: readonly string[]) => {
    if (ordered.includes(name)) return;
    // Rows of such a table would need an order of their own, which nothing here gives them.
    if (above.includes(name)) throw new Error(`The table ${name} refers to itself.`);
    for (const other of referred.get(name) ?? []) place(other, [...above, name]);
    ordered.push(name);
  };
  for (const name of names) place(name, []);
  return ordered;
}
