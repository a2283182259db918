/** Keeps the snapshot current: at once for changes made here, by notice or poll for those of others. */
import { CONFIG_CHANNEL, configRevision } from "../db/config-revision.ts";
import type { Db } from "../db/db.ts";
import type { Keyring } from "../lib/seal.ts";
import { type CompileWith, compile } from "./compile.ts";
import { EMPTY_SNAPSHOT, type Snapshot } from "./snapshot.ts";

/** Half of the promise of one second, so that even a lost notice keeps it. */
const POLL_MS = 400;

export interface Config {
  snapshot: () => Snapshot;
  /** Resolves when a snapshot that holds every change committed before this call is in force. */
  refresh: () => Promise<void>;
  /** The same, but only when something did change. */
  catchUp: () => Promise<void>;
  /** The database answered when it was last asked. */
  isReachable: () => boolean;
  stop: () => void;
}

export async function watchConfig(
  db: Db,
  options: Omit<CompileWith, "programs">,
  log: (event: string, fields: Record<string, unknown>) => void,
): Promise<Config> {
  const programs: CompileWith["programs"] = new Map();
  let current: Snapshot = EMPTY_SNAPSHOT;
  /** What its secrets were opened with: a key that comes later may open more. */
  let keyring: Keyring | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let lost = false;

  const load = async () => {
    const keys = options.keyring();
    current = await compile(db, { ...options, programs });
    keyring = keys;
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
    // The running one may have read its rows before the change: one more run serves all who wait.
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined;
        return refresh();
      });
    return next;
  };
  const catchUp = async () => {
    const changed = (await configRevision(db)) !== current.revision;
    if (changed || options.keyring() !== keyring) await refresh();
  };
  const poll = async () => {
    try {
      await catchUp();
      if (lost) log("database_back", { level: "info" });
      lost = false;
    } catch (thrown) {
      // The planes go on with the last snapshot for as long as it takes.
      if (!lost) log("database_lost", { level: "error", error: thrown });
      lost = true;
    }
  };

  await refresh();
  await db.onNotice(CONFIG_CHANNEL, () => void poll());
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
