/** Applies the configuration file at start and whenever it changes; a wrong one leaves the last good one in force. */
import { type FSWatcher, readFileSync, watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { localActor } from "../admin/perform.ts";
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { applyConfig } from "./apply-config.ts";
import { readConfigFile } from "./read-config-file.ts";

export interface WatchOptions {
  file: string;
  /** Values of `${NAME}`. */
  env: Readonly<Record<string, string | undefined>>;
  /** The database is unavailable: the file is applied when it returns. */
  later?: boolean;
}

/** An editor writes in several steps: the file is read when it has been quiet for this long. */
const QUIET_MS = 100;
/** Some file systems (network shares, mounted secrets) tell nothing: those are looked at. */
const POLL_MS = 5_000;

export async function watchConfigFile(
  deps: Deps,
  refresh: () => Promise<void>,
  { file, env, later = false }: WatchOptions,
): Promise<{ stop: () => Promise<void> }> {
  const path = resolve(file);
  let applied: string | undefined;
  const apply = async (text: string) => {
    const source = readConfigFile(text, { file, env, keepSecrets: false });
    const actor = localActor("configuration file");
    const { steps, left_alone } = await applyConfig(deps, source, {
      actor,
      prune: false,
      dryRun: false,
    });
    if (steps.length) await refresh();
    deps.log("config_file_applied", { file, changes: steps.length, left_alone });
  };
  const look = async () => {
    let text: string;
    try {
      text = readFileSync(path, "utf8");
    } catch {
      return; // Between the two steps of a rename it is not there; the next look finds it.
    }
    if (text === applied) return;
    applied = text;
    try {
      await apply(text);
    } catch (thrown) {
      const { code, message, details } = AppError.from(thrown);
      const ours = code === "unavailable" || code === "internal";
      const cause = ours ? { error: thrown } : {};
      deps.log("config_file_refused", { level: "error", message, ...details, ...cause });
      // Not the file's fault: it is tried again at the next look.
      if (ours) applied = undefined;
    }
  };

  applied = readText(path, file);
  if (later) applied = undefined;
  else await apply(applied);

  let looking: Promise<void> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      looking = looking.then(look);
    }, QUIET_MS);
  };
  const poll = setInterval(soon, POLL_MS);
  const watcher = watchFolder(path, soon);
  return {
    stop: async () => {
      watcher?.close();
      clearInterval(poll);
      clearTimeout(timer);
      await looking;
    },
  };
}

function readText(path: string, file: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : "";
    throw new AppError("bad_settings", `The configuration file ${file} cannot be read: ${reason}`, {
      cause: thrown,
    });
  }
}

/** The folder, not the file: an editor that saves by rename puts another file in its place. */
function watchFolder(path: string, changed: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dirname(path), (_, name) => {
      // Mounted secrets change a link beside the file (`..data`), so an unnamed neighbour counts too.
      if (name === null || name === basename(path) || name.startsWith("..")) changed();
    });
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined; // No watches left on this machine: the poll still sees it.
  }
}
