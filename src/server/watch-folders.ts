/** Checks every few seconds that this node can write to its folders, for readiness. */
import { rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { sqliteFile } from "../db/sqlite.ts";
import { newId } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import type { Settings } from "../settings.ts";

const CHECK_MS = 5_000;
/** One block: fails on a full disk. */
const PROBE = new Uint8Array(4096);

export interface FolderWatch {
  /** Returns why the data folder is not writable, as a sentence without paths; undefined when it is writable. */
  problem: () => string | undefined;
  stop: () => void;
}

export function watchFolders(settings: Settings, log: Log): FolderWatch {
  const database = sqliteFile(settings.DATABASE_URL);
  const data = resolve(settings.PORTCULLIS_DATA_DIR);
  const folders = new Set(database ? [data, dirname(database)] : [data]);
  let problem: string | undefined;
  let checking = false;

  const check = async () => {
    if (checking) return; // the disk does not respond
    checking = true;
    let found: string | undefined;
    for (const folder of folders) found ??= await refusalOf(folder);
    if (found && !problem) log("data_folder_failed", { level: "error", problem: found });
    if (!found && problem) log("data_folder_back", { level: "info" });
    problem = found;
    checking = false;
  };
  void check();
  const timer = setInterval(() => void check(), CHECK_MS);
  return { problem: () => problem, stop: () => clearInterval(timer) };
}

async function refusalOf(folder: string): Promise<string | undefined> {
  const file = join(folder, `.probe-${newId()}`);
  try {
    await writeFile(file, PROBE, { mode: 0o600 });
    return undefined;
  } catch (thrown) {
    const { code = "unknown error" } = thrown as NodeJS.ErrnoException;
    return `The data folder cannot be written: ${REASONS[code] ?? code}.`;
  } finally {
    await rm(file, { force: true }).catch(() => {});
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EROFS: "the file system is read-only (EROFS)",
  EACCES: "permission denied (EACCES)",
  ENOSPC: "the disk is full (ENOSPC)",
  EDQUOT: "the disk quota is used up (EDQUOT)",
  ENOENT: "it is missing (ENOENT)",
};
