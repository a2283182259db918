/** Applies the configuration file at start and on every change. An invalid file changes nothing. */
import { type FSWatcher, readFileSync, watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { localActor } from "../admin/perform.ts";
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { applyConfig } from "./apply.ts";
import { readConfigFile } from "./read-file.ts";

export interface ConfigFileOptions {
  file: string;
  /** Values of `${NAME}`. */
  env: Readonly<Record<string, string | undefined>>;
  /** The database is unavailable: the file is applied once it is available. */
  later?: boolean;
}

/** Debounce: editors write a file in several steps. */
const DEBOUNCE_MS = 100;
/** Some file systems (network shares, mounted secrets) send no change events. */
const POLL_MS = 5_000;

export async function watchConfigFile(
  deps: Deps,
  refresh: () => Promise<void>,
  { file, env, later = false }: ConfigFileOptions,
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
  const reload = async () => {
    let text: string;
    try {
      text = readFileSync(path, "utf8");
    } catch {
      return; // It is missing between the two steps of a rename; the next poll finds it.
    }
    if (text === applied) return;
    applied = text;
    try {
      await apply(text);
    } catch (thrown) {
      const { code, message, details } = AppError.from(thrown);
      const isFileFault = code !== "unavailable" && code !== "internal";
      const cause = isFileFault ? {} : { error: thrown };
      deps.log("config_file_refused", { level: "error", message, ...details, ...cause });
      // Retried at the next poll.
      if (!isFileFault) applied = undefined;
    }
  };

  applied = readText(path, file);
  if (later) applied = undefined;
  else await apply(applied);

  let reloading: Promise<void> = Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const scheduleReload = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      reloading = reloading.then(reload);
    }, DEBOUNCE_MS);
  };
  const poll = setInterval(scheduleReload, POLL_MS);
  const watcher = watchFolder(path, scheduleReload);
  return {
    stop: async () => {
      watcher?.close();
      clearInterval(poll);
      clearTimeout(timer);
      await reloading;
    },
  };
}

function readText(path: string, file: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : "";
    throw new AppError("bad_settings", `Cannot read the configuration file ${file}: ${reason}`, {
      cause: thrown,
    });
  }
}

/** Watches the folder, because an editor that saves by rename replaces the file. */
function watchFolder(path: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dirname(path), (_, name) => {
      // Mounted secrets change a link next to the file (`..data`).
      if (name === null || name === basename(path) || name.startsWith("..")) onChange();
    });
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined; // No watches left on this machine: the poll still detects changes.
  }
}
