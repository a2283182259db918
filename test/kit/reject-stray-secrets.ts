/** A column that holds sealed secrets but is not in SEALED_COLUMNS would be forgotten by `secrets rotate`. */
import { AppError } from "../../src/contract/errors.ts";
import { schemaTables } from "../../src/db/schema-tables.ts";
import { SEALED_COLUMNS } from "../../src/db/sealed-columns.ts";
import type { Deps } from "../../src/deps.ts";

const tables = schemaTables();
const sealed: ReadonlySet<string> = new Set(SEALED_COLUMNS);

/** Checks every column of the schema. */
export async function rejectStraySecrets(deps: Pick<Deps, "db" | "keyring">): Promise<void> {
  const stray = await straySecrets(deps).catch((thrown) => {
    // Some tests take the database away.
    if (AppError.from(thrown).code === "unavailable") return [];
    throw thrown;
  });
  if (stray.length > 0) throw new Error(`SEALED_COLUMNS lacks ${stray.join(", ")}.`);
}

async function straySecrets({ db, keyring }: Pick<Deps, "db" | "keyring">): Promise<string[]> {
  const marks = [...keyring().keys.keys()].map((id) => `sealed:v2:${id}:`);
  const isSealed = (value: unknown) => marks.some((mark) => String(value).includes(mark));
  const stray = new Set<string>();
  for (const { name: table, columns } of await tables) {
    const others = columns.filter(({ name }) => !sealed.has(`${table}.${name}`));
    const holds = others.map(({ name }) => `CAST(${name} AS TEXT) LIKE '%sealed:v2:%'`);
    const rows = await db.many<Record<string, unknown>>(
      `SELECT * FROM ${table} WHERE ${holds.join(" OR ")}`,
    );
    for (const { name } of others) {
      if (rows.some((row) => isSealed(row[name]))) stray.add(`${table}.${name}`);
    }
  }
  return [...stray];
}
