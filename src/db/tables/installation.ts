/** The installation table: key-value pairs about the installation. */
import type { Db } from "../db.ts";

export async function installationFact(db: Db, id: string): Promise<string | undefined> {
  const row = await db.one<{ value: string }>("SELECT value FROM installation WHERE id = $1", id);
  return row?.value;
}

export async function setInstallationFact(db: Db, id: string, value: string): Promise<void> {
  await db.run(
    `INSERT INTO installation (id, value) VALUES ($1, $2)
     ON CONFLICT (id) DO UPDATE SET value = excluded.value`,
    id,
    value,
  );
}
