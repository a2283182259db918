/** Stores the configuration in the data folder, for a start while Postgres is unavailable (decision 0009). */
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Db } from "../db/db.ts";
import { schemaVersion } from "../db/migrate.ts";
import type { RecordedRows } from "../db/record-rows.ts";
import { installationFact } from "../db/tables/installation.ts";
import { type Keyring, seal, sealedWith, unseal } from "../lib/crypto/seal.ts";
import { newId } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import type { Settings } from "../settings.ts";

const RETRY_MS = 1_000;

export interface LocalSnapshot {
  stored_at: string;
  /** The newest migration: rows of another schema are not read. */
  schema: string;
  /** When the installation was created: the database that returns must be the same. */
  created_at: string;
  rows: RecordedRows;
}

const fileOf = ({ PORTCULLIS_DATA_DIR }: Settings): string => join(PORTCULLIS_DATA_DIR, "snapshot");

/** Binds the file to the database that it was read from. */
function contextOf({ DATABASE_URL }: Settings) {
  const { hostname, port, pathname } = new URL(DATABASE_URL);
  return { purpose: "local_snapshot", id: `${hostname}:${port}${pathname}` };
}

/** Returns undefined for a file that is missing or damaged, or of another database, release or current key. */
export function readLocalSnapshot(settings: Settings, keyring: Keyring): LocalSnapshot | undefined {
  let sealed: string;
  try {
    sealed = readFileSync(fileOf(settings), "utf8");
  } catch {
    return undefined;
  }
  if (sealedWith(sealed) !== keyring.current) return undefined;
  const text = unseal(keyring, contextOf(settings), sealed);
  if (text === undefined) return undefined;
  const stored: LocalSnapshot = JSON.parse(text); // authenticated: written by this program
  return stored.schema === schemaVersion() ? stored : undefined;
}

/** Removes partial files of processes that were killed during a write. In a read-only folder they stay. */
function removeParts(file: string): void {
  try {
    for (const name of readdirSync(dirname(file))) {
      if (name.startsWith(`${basename(file)}-`)) rmSync(join(dirname(file), name), { force: true });
    }
  } catch {
    // watch-folders.ts reports it.
  }
}

export interface SnapshotStore {
  /** Stores the newest rows. Rows passed during a write replace each other. */
  store: (rows: RecordedRows) => void;
  stop: () => Promise<void>;
}

export function openSnapshotStore(
  settings: Settings,
  { db, keyring, log, now }: { db: Db; keyring: () => Keyring; log: Log; now: () => Date },
): SnapshotStore {
  removeParts(fileOf(settings));
  let next: RecordedRows | undefined;
  let writing: Promise<void> | undefined;
  let retry: Timer | undefined;
  let created_at: string | undefined;
  let failing = false;

  const write = async (rows: RecordedRows) => {
    created_at ??= await installationFact(db, "created_at");
    if (created_at === undefined) return; // not set up yet
    const stored_at = now().toISOString();
    const stored: LocalSnapshot = { stored_at, schema: schemaVersion(), created_at, rows };
    const sealed = seal(keyring(), contextOf(settings), JSON.stringify(stored));
    const part = `${fileOf(settings)}-${newId()}`;
    try {
      await writeFile(part, sealed, { mode: 0o600 });
      await rename(part, fileOf(settings));
    } catch (thrown) {
      await rm(part, { force: true });
      throw thrown;
    }
  };
  const writeAll = async () => {
    for (let rows = next; rows; rows = next) {
      next = undefined;
      try {
        await write(rows);
        failing = false;
      } catch (thrown) {
        if (!failing) log("snapshot_not_stored", { level: "error", error: thrown });
        failing = true;
        // Newer rows are written now; these would replace them later.
        if (!next) retry = setTimeout(() => store(rows), RETRY_MS);
      }
    }
  };
  const startWriting = () => {
    writing ??= writeAll().finally(() => {
      writing = undefined;
      if (next) startWriting();
    });
  };
  const store = (rows: RecordedRows) => {
    clearTimeout(retry);
    next = rows;
    startWriting();
  };
  return {
    store,
    stop: async () => {
      await writing;
      clearTimeout(retry);
    },
  };
}
