/** Copies queued rows to a journal while the database is slow or unavailable, so that they outlive the process. */
import { AppError } from "../contract/errors.ts";
import type { Journal } from "../lib/journal.ts";
import type { Log } from "../lib/log.ts";

/** A write that takes longer counts as failing: its rows are at risk until it returns. */
const SLOW_MS = 250;
/** Rows per write, which bounds the text in memory. */
const BATCH_ROWS = 64;

export interface QueueJournal<Row> {
  /** Runs `write`. Stores the whole queue when that takes longer than 250 ms or the database is unavailable. */
  during: (write: () => Promise<void>, queue: () => readonly Row[]) => Promise<void>;
  /** True when the last write was slow or failed. New rows are stored as they are added then. */
  isBehind: () => boolean;
  /** Stores rows with one write, or one by one if that fails. Returns whether all are on disk now. */
  store: (rows: readonly Row[]) => boolean;
  /** Returns whether the row outlives the process. */
  isStored: (row: Row) => boolean;
  /** Forgets rows that are in the database; removes the file with the last of them. */
  remove: (rows: readonly Row[]) => void;
}

/** Without a journal nothing is stored. */
export function createQueueJournal<Row extends object>(
  journal: Journal | undefined,
  log: Log,
): QueueJournal<Row> {
  const stored = new Set<Row>();
  let behind = false;
  let failing = false;

  const fail = (thrown: unknown) => {
    if (!failing) log("journal_failed", { level: "error", error: thrown });
    failing = true;
  };
  const store = (rows: readonly Row[]): boolean => {
    if (!journal) return false;
    const missing = rows.filter((row) => !stored.has(row));
    if (missing.length === 0) return true;
    try {
      journal.append(missing.map((row) => JSON.stringify(row)));
      failing = false;
    } catch (thrown) {
      // The disk may have room for some of them.
      if (missing.length > 1) return missing.every((row) => store([row]));
      fail(thrown);
      return false;
    }
    for (const row of missing) stored.add(row);
    return true;
  };
  const storeAll = (rows: readonly Row[]) => {
    behind = true;
    for (let at = 0; at < rows.length; at += BATCH_ROWS) {
      if (!store(rows.slice(at, at + BATCH_ROWS))) return;
    }
  };
  return {
    async during(write, queue) {
      const slow = setTimeout(() => storeAll(queue()), SLOW_MS);
      try {
        await write();
        behind = false;
      } catch (thrown) {
        if (AppError.from(thrown).code === "unavailable") storeAll(queue());
        throw thrown;
      } finally {
        clearTimeout(slow);
      }
    },
    isBehind: () => behind,
    store,
    isStored: (row) => stored.has(row),
    remove(rows) {
      if (stored.size === 0) return;
      for (const row of rows) stored.delete(row);
      if (stored.size > 0) return;
      try {
        journal?.clear();
      } catch (thrown) {
        fail(thrown);
      }
    },
  };
}
