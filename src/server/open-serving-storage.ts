/** Opens the storage of a serving node; while Postgres is unavailable, with the configuration stored locally (decision 0009). */
import { AppError } from "../contract/errors.ts";
import { type Db, openDb } from "../db/db.ts";
import { isAccessDenied } from "../db/driver-error.ts";
import { rejectUntilReady } from "../db/reject-until-ready.ts";
import { installationFact } from "../db/tables/installation.ts";
import type { Log } from "../lib/log.ts";
import type { Settings } from "../settings.ts";
import { checkKeyAndDatabase } from "./check-key-and-database.ts";
import { openKeyring } from "./keyring.ts";
import { type LocalSnapshot, readLocalSnapshot } from "./local-snapshot.ts";
import { readKeyring } from "./match-keyring.ts";
import { openStorage, type Storage, upgradeDatabase } from "./open-storage.ts";

const CHECK_MS = 500;

export interface ServingStorage extends Storage {
  /** For events: its commits do not wait for the disk. */
  eventDb: Db;
  /** Configuration to serve until the database is available; undefined when it is. */
  stored: LocalSnapshot | undefined;
  close: () => Promise<void>;
}

export async function openServingStorage(settings: Settings, log: Log): Promise<ServingStorage> {
  const openEvents = () => openDb(settings.DATABASE_URL, { durable: false });
  const closeAll = async (...dbs: Db[]) => {
    for (const db of dbs) await db.close();
  };
  try {
    const storage = await openStorage(settings);
    const eventDb = await openEvents();
    const close = () => closeAll(eventDb, storage.db);
    return { ...storage, eventDb, stored: undefined, close };
  } catch (thrown) {
    const isDown = AppError.from(thrown).code === "unavailable" && !isAccessDenied(thrown);
    const stored = isDown ? findStored(settings) : undefined;
    if (!stored) throw thrown;
    const { stored_at } = stored;
    log("started_without_database", { level: "error", stored_at, error: thrown });
    const keyring = openKeyring(settings);
    const db = await openDb(settings.DATABASE_URL);
    const eventDb = await openEvents();
    const gate = openWhenChecked(log, async () => {
      await checkKeyAndDatabase(settings, db);
      await checkInstallation(db, stored);
      await upgradeDatabase(db, keyring());
    });
    return {
      db: rejectUntilReady(db, gate.isOpen),
      eventDb: rejectUntilReady(eventDb, gate.isOpen),
      keyring,
      stored,
      close: async () => {
        gate.stop();
        await closeAll(eventDb, db);
      },
    };
  }
}

function findStored(settings: Settings): LocalSnapshot | undefined {
  if (!/^postgres(ql)?:/.test(settings.DATABASE_URL)) return undefined;
  const keyring = readKeyring(settings);
  return keyring && readLocalSnapshot(settings, keyring);
}

/** Repeats `check` until it passes. Until then the database is not used: it may belong to another installation. */
function openWhenChecked(log: Log, check: () => Promise<void>) {
  let [open, checking, refused] = [false, false, false];
  const timer = setInterval(async () => {
    if (checking) return;
    checking = true;
    try {
      await check();
      open = true;
      clearInterval(timer);
    } catch (thrown) {
      const { code } = AppError.from(thrown);
      if (code !== "unavailable" && !refused) {
        log("database_refused", { level: "error", error: thrown });
        refused = true;
      }
    }
    checking = false;
  }, CHECK_MS);
  return { isOpen: () => open, stop: () => clearInterval(timer) };
}

async function checkInstallation(db: Db, { created_at }: LocalSnapshot): Promise<void> {
  if ((await installationFact(db, "created_at")) === created_at) return;
  const text =
    "The database belongs to another installation than the configuration stored in the data folder. Check DATABASE_URL, and restart this node to use the new database.";
  throw new AppError("bad_settings", text);
}
