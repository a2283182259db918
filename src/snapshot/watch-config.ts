/** Keeps the snapshot current: at once after changes of this node, by notification or polling after those of others. */
import { CONFIG_CHANNEL, configState } from "../db/config-revision.ts";
import type { Db } from "../db/db.ts";
import { readConsistently } from "../db/read-consistently.ts";
import { type RecordedRows, recordRows, replayRows } from "../db/record-rows.ts";
import type { Keyring } from "../lib/crypto/seal.ts";
import { type CompileOptions, compileSnapshot, readSessions } from "./compile.ts";
import { EMPTY_SNAPSHOT, type Snapshot } from "./snapshot.ts";

/** Changes must apply within one second, also when a notification is lost. */
const POLL_MS = 400;

export interface ConfigWatch {
  snapshot: () => Snapshot;
  /** Resolves when the snapshot contains every change committed before this call. */
  refresh: () => Promise<void>;
  /** Refreshes only if the configuration has changed. */
  catchUp: () => Promise<void>;
  /** Returns whether the database was available at the last check. */
  isReachable: () => boolean;
  stop: () => void;
}

export interface ConfigWatchOptions extends Omit<CompileOptions, "programs"> {
  /** Called with the rows of every new snapshot. */
  store?: ((rows: RecordedRows) => void) | undefined;
  /** Rows to start with while the database is unavailable. */
  stored?: RecordedRows | undefined;
}

export async function watchConfig(
  db: Db,
  { store, stored, ...options }: ConfigWatchOptions,
  log: (event: string, fields: Record<string, unknown>) => void,
): Promise<ConfigWatch> {
  const programs: CompileOptions["programs"] = new Map();
  let current: Snapshot = EMPTY_SNAPSHOT;
  /** Keys that decrypted the secrets of `current`: a newer key may decrypt more. */
  let keyring: Keyring | undefined;
  /** Rows of `current`, if they are stored. */
  let recorded: RecordedRows = {};
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let lost = stored !== undefined;
  let listening = false;

  const listen = async () => {
    if (listening) return;
    await db.onNotice(CONFIG_CHANNEL, () => void poll());
    listening = true;
  };
  const load = async () => {
    const keys = options.keyring();
    const rows: RecordedRows = {};
    const record = (source: Db) => (store ? recordRows(source, rows) : source);
    const sessions = await readSessions(record(db));
    if (sessions.config === current.config && keys === keyring) {
      current = { ...current, ...sessions };
      recorded = { ...recorded, ...rows };
      store?.(recorded);
      return;
    }
    // A policy with a secret that could not be decrypted is compiled again.
    if (keys !== keyring) programs.clear();
    // Otherwise a policy whose version changes between two reads would be missing.
    current = await readConsistently(db, (tx) =>
      compileSnapshot(record(tx), { ...options, programs }),
    );
    keyring = keys;
    recorded = rows;
    store?.(rows);
    const problems = [...current.registries.values()].filter((registry) => registry.problem);
    for (const { id, name, problem } of problems) {
      log("registry_unusable", { level: "warn", registry_id: id, name, problem });
    }
  };
  const refresh = (): Promise<void> => {
    if (!running) {
      running = load().finally(() => {
        running = undefined;
      });
      return running;
    }
    // The running load may have read its rows before the change: one more load serves all callers.
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return refresh();
      });
    return next;
  };
  const catchUp = async () => {
    const changed = (await configState(db)).state !== current.state;
    if (changed || options.keyring() !== keyring) await refresh();
  };
  const poll = async () => {
    try {
      await catchUp();
      await listen();
      if (lost) log("database_back", { level: "info" });
      lost = false;
    } catch (thrown) {
      // The planes continue with the last snapshot.
      if (!lost) log("database_lost", { level: "error", error: thrown });
      lost = true;
    }
  };

  // `keyring` stays undefined, so the first poll reads all rows again.
  if (stored)
    current = await compileSnapshot(replayRows(stored, db.dialect), { ...options, programs });
  else {
    await refresh();
    await listen();
  }
  let polling = false;
  const timer = setInterval(async () => {
    if (polling) return;
    polling = true;
    await poll();
    polling = false;
  }, POLL_MS);
  return {
    snapshot: () => current,
    refresh,
    catchUp,
    isReachable: () => !lost,
    stop: () => clearInterval(timer),
  };
}
