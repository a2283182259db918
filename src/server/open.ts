/** Opens the installation without serving it: what commands on the machine itself work with. */
import { mkdirSync } from "node:fs";
import { type Db, openDb } from "../db/db.ts";
import { migrate } from "../db/migrate.ts";
import type { Deps } from "../deps.ts";
import { evaluateInside } from "../evaluate/evaluate-inside.ts";
import { now } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import type { Keyring } from "../lib/seal.ts";
import { createSend } from "../net/send.ts";
import { openLimiter } from "../plugins/rate-limiter/limiter.ts";
import type { Settings } from "../settings.ts";
import { EMPTY_SNAPSHOT } from "../snapshot/snapshot.ts";
import { checkKeyring, openKeyring } from "./keyring.ts";

export interface Storage {
  db: Db;
  keyring: () => Keyring;
}

/** The database, its schema up to date, and the keys that fit it. */
export async function openStorage(settings: Settings): Promise<Storage> {
  mkdirSync(settings.PORTCULLIS_DATA_DIR, { recursive: true, mode: 0o700 });
  const db = await openDb(settings.DATABASE_URL);
  await migrate(db, now());
  const keyring = openKeyring(settings);
  await checkKeyring(db, keyring());
  return { db, keyring };
}

/** Runs `work` with everything but the planes; a serving process hears of its changes by itself. */
export async function withInstallation<T>(
  settings: Settings,
  log: Log,
  work: (deps: Deps) => Promise<T>,
): Promise<T> {
  const storage = await openStorage(settings);
  const snapshot = () => EMPTY_SNAPSHOT;
  try {
    const deps: Deps = {
      ...storage,
      snapshot,
      settings,
      send: createSend(),
      limiter: openLimiter({ ...storage, snapshot, redis_url: undefined, now, newId, log }),
      now,
      newId,
      random: Math.random,
      log,
      used: () => {},
      record: () => {},
      recordEvaluation: async () => {},
      evaluate: (asked) => evaluateInside(deps, asked),
      demo_url: "",
    };
    return await work(deps);
  } finally {
    await storage.db.close();
  }
}
