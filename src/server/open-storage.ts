/** Opens the installation without serving it, for commands on this machine. */
import { mkdirSync } from "node:fs";
import { AppError } from "../contract/errors.ts";
import { createCredentials } from "../credentials/credentials.ts";
import { knownSchema } from "../db/backup/backup.ts";
import { type Db, openDb } from "../db/db.ts";
import { migrate } from "../db/migrate.ts";
import { fileExists, openReadOnly } from "../db/open-read-only.ts";
import { schemaOf } from "../db/schema-tables.ts";
import { sqliteFile } from "../db/sqlite.ts";
import type { Deps } from "../deps.ts";
import { evaluateInternal } from "../evaluate/evaluate-internal.ts";
import { openResponseGuard } from "../evaluate/open-response-guard.ts";
import { createHostServices } from "../evaluate/worker/evaluation-host.ts";
import type { Keyring } from "../lib/crypto/seal.ts";
import { newId } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import { elapsedMs, now } from "../lib/time/clock.ts";
import { createSend } from "../net/send.ts";
import { openLimiter } from "../plugins/rate-limiter/limiter.ts";
import type { Settings } from "../settings.ts";
import { EMPTY_SNAPSHOT } from "../snapshot/snapshot.ts";
import { checkDatabaseFile, checkKeyAndDatabase } from "./check-key-and-database.ts";
import { createState } from "./create-state.ts";
import { describeReason } from "./doctor/check.ts";
import { checkKeyring, confirmKeyFile, openKeyring, rejectOtherKeys } from "./keyring.ts";
import { readEgress } from "./read-egress.ts";

export interface Storage {
  db: Db;
  keyring: () => Keyring;
}

/** Opens the database, migrates it, and checks that the encryption keys match it. */
export async function openStorage(settings: Settings): Promise<Storage> {
  // A SQLite file that exists may be in another folder.
  if (!checkDatabaseFile(settings)) createDataFolder(settings);
  const db = await openDb(settings.DATABASE_URL);
  try {
    await checkKeyAndDatabase(settings, db);
    createDataFolder(settings);
    const keyring = openKeyring(settings);
    await upgradeDatabase(db, keyring());
    confirmKeyFile(settings);
    return { db, keyring };
  } catch (thrown) {
    await db.close();
    throw thrown;
  }
}

/** Upgrades the schema and the secrets. Other keys are rejected first: the former release could not read a newer schema. */
export async function upgradeDatabase(db: Db, keyring: Keyring): Promise<void> {
  if ((await schemaOf(db)) !== undefined) await rejectOtherKeys(db, keyring);
  await migrate(db, now());
  await checkKeyring(db, keyring);
}

export function createDataFolder({ PORTCULLIS_DATA_DIR: folder }: Settings): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    const text = `PORTCULLIS_DATA_DIR: cannot create ${folder}: ${describeReason(thrown)}. Set another folder, or make it writable for this user.`;
    throw new AppError("bad_settings", text, { cause: thrown });
  }
}

/** Rejects a folder or database without an installation, instead of creating one in the wrong place. */
export async function withInstallation<T>(
  settings: Settings,
  log: Log,
  work: (deps: Deps) => Promise<T>,
): Promise<T> {
  checkInstalled(settings);
  const db = await openReadOnly(settings.DATABASE_URL);
  try {
    await knownSchema(db);
  } finally {
    await db.close();
  }
  return await withDeps(settings, log, work);
}

export function checkInstalled({ DATABASE_URL }: Settings): void {
  const file = sqliteFile(DATABASE_URL);
  if (!file || fileExists(file)) return;
  const text = `No database at ${file}. Set its folder with --data-dir or PORTCULLIS_DATA_DIR; portcullis start creates a new one.`;
  throw new AppError("not_found", text);
}

/** Runs `work` without serving. Creates a missing installation. Running servers detect its changes. */
export async function withDeps<T>(
  settings: Settings,
  log: Log,
  work: (deps: Deps) => Promise<T>,
): Promise<T> {
  const storage = await openStorage(settings);
  const snapshot = () => EMPTY_SNAPSHOT;
  const send = createSend({
    ...(await readEgress(settings)),
    mayReachPrivate: () => settings.ALLOW_PRIVATE_UPSTREAMS,
  });
  try {
    const services = {
      ...createState({ settings, log, db: storage.db }),
      ...storage,
      snapshot,
      settings,
      send,
      // Commands send no requests to registries.
      credentials: createCredentials({ env: {}, now, send, log }),
      limiter: openLimiter({
        ...storage,
        snapshot,
        redis_url: undefined,
        now,
        elapsedMs,
        newId,
        log,
      }),
      now,
      newId,
      random: Math.random,
      log,
      markUsed: () => {},
      recordRequest: () => {},
      countRequest: () => {},
      recordEvaluation: async () => {},
      recordScores: () => {},
      flushTraffic: async () => {},
      flushEvaluations: async () => {},
      hasHeldEvaluations: () => false,
      demo_url: "",
      bodyDeadline: new AbortController().signal,
      responseDeadline: new AbortController().signal,
    };
    const deps: Deps = {
      ...services,
      hostServices: createHostServices(services),
      evaluate: (evaluation) => evaluateInternal(deps, evaluation),
      openResponseGuard: (context, work) => openResponseGuard(deps, context, work),
    };
    return await work(deps);
  } finally {
    await storage.db.close();
  }
}
