/** Applies pending migrations in one transaction; safe when two nodes start at once. */
import { AppError } from "../contract/errors.ts";
import type { Db } from "./db.ts";
import { migrations } from "./migrations/all.ts";

/** Returns the ids of the applied migrations. `until` stops early, for the schema of an older backup. */
export async function migrate(db: Db, at: Date, until = schemaVersion()): Promise<string[]> {
  return await db.transaction(async (tx) => {
    // On SQLite the write transaction is the lock.
    if (tx.dialect === "postgres") await tx.many("SELECT pg_advisory_xact_lock(7263849201)");
    await tx.run(
      "CREATE TABLE IF NOT EXISTS migrations (id TEXT PRIMARY KEY, applied_at TEXT NOT NULL)",
    );
    const done = await tx.many<{ id: string }>("SELECT id FROM migrations ORDER BY id");
    rejectNewerSchema(done.map((row) => row.id));
    const end = migrations.findIndex(({ id }) => id === until) + 1;
    const due = migrations.slice(done.length, end);
    for (const migration of due) {
      for (const statement of statementsOf(migration.sql)) await tx.run(statement);
      await tx.run(
        "INSERT INTO migrations (id, applied_at) VALUES ($1, $2)",
        migration.id,
        at.toISOString(),
      );
    }
    return due.map((migration) => migration.id);
  });
}

/** Returns the newest migration of this release. */
export const schemaVersion = (): string => migrations.at(-1)?.id ?? "";

/** Rejects a database of a newer release, whose data this one could lose. */
function rejectNewerSchema(done: string[]): void {
  const unknown = done.find((id, index) => migrations[index]?.id !== id);
  if (unknown) {
    throw new AppError(
      "bad_settings",
      `The database has the migration "${unknown}", which this release does not know. Start the release that created it or a newer one.`,
    );
  }
}

/** Statements end with a semicolon at the end of a line. */
const statementsOf = (sql: string): string[] =>
  sql
    .replace(/--.*$/gm, "")
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter(Boolean);
