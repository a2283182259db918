/** Lists our tables by reading the catalog of a migrated database, so that no list can miss a new one. */
import type { Db } from "./db.ts";
import { openDb } from "./db.ts";
import { migrate } from "./migrate.ts";

export interface TableShape {
  name: string;
  columns: { name: string; type: string }[];
}

/**
 * Returns the tables of the schema at migration `until`, each after the tables it references. Reads the catalog of a
 * temporary database, because a shared Postgres may contain other tables.
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

/** Returns every table of this database, including foreign ones. */
export async function tableNames(db: Db): Promise<string[]> {
  const sql =
    db.dialect === "sqlite"
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
      : "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()";
  return (await db.many<{ name: string }>(sql)).map(({ name }) => name).sort();
}

/** Returns the newest applied migration; undefined without a schema. */
export async function schemaOf(db: Db): Promise<string | undefined> {
  if (!(await tableNames(db)).includes("migrations")) return undefined;
  const row = await db.one<{ id: string | null }>("SELECT MAX(id) AS id FROM migrations");
  return row?.id ?? undefined;
}

function inOrder(names: readonly string[], referred: ReadonlyMap<string, string[]>): string[] {
  const ordered: string[] = [];
  const place = (name: string, above: readonly string[]) => {
    if (ordered.includes(name)) return;
    // Rows of such a table would need an order of their own, which is not supported.
    if (above.includes(name)) throw new Error(`The table ${name} references itself.`);
    for (const other of referred.get(name) ?? []) place(other, [...above, name]);
    ordered.push(name);
  };
  for (const name of names) place(name, []);
  return ordered;
}
