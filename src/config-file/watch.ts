/** Applies the configuration file at start and on every change. An invalid file changes nothing. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { localActor } from "../admin/perform.ts";
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { type FilesWatch, watchFiles } from "../lib/watch-files.ts";
import { applyConfig } from "./apply.ts";
import { readConfigFile } from "./read-file.ts";

export interface ConfigFileOptions {
  file: string;
  /** Values of `${NAME}`. */
  env: Readonly<Record<string, string | undefined>>;
  /** The database is unavailable: the file is applied once it is available. */
  later?: boolean;
}

export interface ConfigFileWatch extends FilesWatch {
  /** Returns whether the present content of the file was applied. */
  isApplied: () => boolean;
}

export async function watchConfigFile(
  deps: Deps,
  refresh: () => Promise<void>,
  { file, env, later = false }: ConfigFileOptions,
): Promise<ConfigFileWatch> {
  const path = resolve(file);
  let applied: string | undefined;
  let refused = false;
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
      refused = false;
    } catch (thrown) {
      const { code, message, details } = AppError.from(thrown);
      const isFileFault = code !== "unavailable" && code !== "internal";
      const cause = isFileFault ? {} : { error: thrown };
      refused = true;
      deps.log("config_file_refused", { level: "error", message, ...details, ...cause });
      // Retried at the next poll.
      if (!isFileFault) applied = undefined;
    }
  };

  applied = readText(path, file);
  if (later) applied = undefined;
  else await apply(applied);

  return { ...watchFiles([path], reload), isApplied: () => !refused };
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
