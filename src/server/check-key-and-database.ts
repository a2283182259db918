/** Rejects a database without its key file, and a key file without its database, before anything is created. */
import { existsSync } from "node:fs";
import { AppError } from "../contract/errors.ts";
import type { Db } from "../db/db.ts";
import { schemaOf } from "../db/schema-tables.ts";
import { sqliteFile } from "../db/sqlite.ts";
import { installationFact } from "../db/tables/installation.ts";
import type { Settings } from "../settings.ts";
import { firstKeyFile, keyFile } from "./keyring.ts";

/** Returns true for the key file of an installation: it gets its name after the database is written. */
const hasKeyFile = (settings: Settings): boolean =>
  settings.PORTCULLIS_KEYS === undefined && existsSync(keyFile(settings));

/** Throws when the key file exists and the database file does not. Returns whether there is a database to open. */
export function checkDatabaseFile(settings: Settings): boolean {
  // Checked first: another node that is starting creates the key file last.
  const lost = describeLostDatabase(settings);
  const file = sqliteFile(settings.DATABASE_URL);
  const missing = file !== undefined && !existsSync(file);
  if (missing && lost) throw rejection(lost);
  return !missing;
}

export async function checkKeyAndDatabase(settings: Settings, db: Db): Promise<void> {
  const inMemory = db.dialect === "sqlite" && sqliteFile(settings.DATABASE_URL) === undefined;
  if (inMemory || settings.PORTCULLIS_KEYS !== undefined) return;
  const lost = describeLostDatabase(settings);
  const isEmpty = (await schemaOf(db)) === undefined;
  if (isEmpty && lost) throw rejection(lost);
  if (isEmpty || lost || (await installationFact(db, "key_check")) === undefined) return;
  if (existsSync(firstKeyFile(settings)) || hasKeyFile(settings)) return;
  throw new AppError(
    "bad_settings",
    `The secrets in the database are encrypted with keys that this node does not have: ${keyFile(settings)} is missing. Restore that file from a copy or another node, set PORTCULLIS_KEYS, or name the intended folder with --data-dir. To start over, use an empty database.`,
  );
}

/** Describes a key file whose database is missing or empty; undefined without a key file. */
export function describeLostDatabase(
  settings: Settings,
): { message: string; todo: string } | undefined {
  if (!hasKeyFile(settings)) return undefined;
  const where = sqliteFile(settings.DATABASE_URL) ?? "DATABASE_URL";
  const keys = keyFile(settings);
  return {
    message: `The key file ${keys} exists, but its database does not: ${where} is missing or empty.`,
    todo: `Restore the database, or name the intended one with --database-url or --data-dir. To start over, delete ${keys}; the secrets in its backups can then no longer be read.`,
  };
}

const rejection = ({ message, todo }: { message: string; todo: string }): AppError =>
  new AppError("bad_settings", `${message} ${todo}`);
