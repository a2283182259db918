/** Returns free pages of an SQLite file to the file system. Postgres reuses its free space. */
import type { Db } from "./db.ts";

/** Takes about 2 ms; requests are served between steps. */
const STEP_PAGES = 32;
/** Free pages kept for new rows: 4 MiB. */
const MIN_FREE_PAGES = 512;
/** A file of this size takes about two seconds to rewrite. */
const MAX_REWRITTEN_BYTES = 256 * 1024 * 1024;

export async function reclaimSpace(db: Db): Promise<void> {
  if (db.dialect !== "sqlite") return;
  for (let before = Infinity; ; ) {
    const free = await pragma(db, "freelist_count");
    // No progress: the file was created without auto_vacuum and is too large to convert.
    if (free <= MIN_FREE_PAGES || free >= before) return;
    before = free;
    await db.many(`PRAGMA incremental_vacuum(${STEP_PAGES})`);
    await new Promise(setImmediate);
  }
}

/**
 * Rewrites a file that was created without auto_vacuum. Blocks this process and all writers, so it runs only at start
 * and for files of up to 256 MiB of rows. Returns false for a larger file.
 */
export async function enableReclaim(db: Db): Promise<boolean> {
  if (db.dialect !== "sqlite" || (await pragma(db, "auto_vacuum")) === INCREMENTAL) return true;
  const used = (await pragma(db, "page_count")) - (await pragma(db, "freelist_count"));
  if (used * (await pragma(db, "page_size")) > MAX_REWRITTEN_BYTES) return false;
  await db.run(`PRAGMA auto_vacuum = ${INCREMENTAL}`);
  await db.run("VACUUM");
  await db.many("PRAGMA wal_checkpoint(TRUNCATE)");
  return true;
}

export const INCREMENTAL = 2;

type Pragma = "auto_vacuum" | "freelist_count" | "page_count" | "page_size";

async function pragma(db: Db, name: Pragma): Promise<number> {
  const row = await db.one<Record<string, number>>(`PRAGMA ${name}`);
  return row?.[name] ?? 0;
}
