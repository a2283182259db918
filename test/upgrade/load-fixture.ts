/** Fills an empty database with the rows of an older release, in the schema of that release. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openDb, type Value } from "../../src/db/db.ts";
import { migrate } from "../../src/db/migrate.ts";
import { schemaTables } from "../../src/db/schema-tables.ts";

export const fixtureFile = (release: string, name: string): string =>
  join(import.meta.dir, "../golden/upgrade", release, name);

/**
 * Returns the rows of the backup, as if it had just been saved: the first sweep deletes old ones. `places` replace the
 * addresses `http://127.0.0.1:1` and so on.
 */
export function fixtureRows(release: string, places: readonly string[]): string {
  const rows = readFileSync(fixtureFile(release, "rows.jsonl"), "utf8");
  const [header = ""] = rows.split("\n", 1);
  const age = Date.now() - Date.parse(JSON.parse(header).created_at);
  return rows
    .replace(
      /http:\/\/127\.0\.0\.1:([1-5])(?!\d)/g,
      (place, number) => places[Number(number) - 1] ?? place,
    )
    .replace(TIMESTAMP, (time) => new Date(Date.parse(time) + age).toISOString());
}

/** A column, not a member of JSON in a column. */
const TIMESTAMP = /(?<=[^\\]")\d{4}-\d{2}-\d{2}T[\d:.]{8,12}Z(?=")/g;

export async function loadFixture(url: string, rows: string): Promise<void> {
  const [header = "", ...lines] = rows.trim().split("\n");
  const { schema }: { schema: string } = JSON.parse(header);
  const db = await openDb(url);
  await migrate(db, new Date(), schema);
  await db.transaction(async (tx) => {
    for (const { name } of (await schemaTables(schema)).reverse())
      await tx.run(`DELETE FROM ${name}`);
    for (const line of lines) {
      const { table, row }: { table?: string; row: Record<string, Value> } = JSON.parse(line);
      if (!table) continue;
      const names = Object.keys(row);
      const numbered = names.map((_, index) => `$${index + 1}`);
      await tx.run(
        `INSERT INTO ${table} (${names.join(", ")}) VALUES (${numbered.join(", ")})`,
        ...Object.values(row),
      );
    }
  });
  await db.close();
}
