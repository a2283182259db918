/** Checks every few seconds that the folders this node writes to take a file, for readiness. */
import { rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { sqliteFile } from "../db/sqlite.ts";
import { newId } from "../lib/ids.ts";
import type { Log } from "../lib/log.ts";
import type { Settings } from "../settings.ts";

const CHECK_MS = 5_000;
/** One block: a full disk has none. */
const PROBE = new Uint8Array(4096);

export interface FolderWatch {
  /** Why the data folder cannot be written, as a sentence without paths; undefined when it can. */
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
    if (checking) return; // a disk that hangs
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
