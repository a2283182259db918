/** Adds up counts in memory, and writes them to the database every few seconds. */
import { createWriteBehindQueue } from "../../db/write-behind-queue.ts";
import type { Log } from "../../lib/log.ts";

export interface CountQueueOptions<Count> {
  /** Begins the names of log events. */
  kind: string;
  log: Log;
  /** Counts with the same key are merged. */
  keyOf: (count: Count) => string;
  /** Adds `added` to `known`, in place. */
  merge: (known: Count, added: Count) => void;
  write: (counts: readonly Count[]) => Promise<void>;
  maxRows: number;
  flushMs: number;
}

export interface CountQueue<Count> {
  add: (count: Count) => void;
  /** Resolves when the counts added before are in the database, or it is unavailable. */
  written: () => Promise<void>;
  stop: () => Promise<void>;
}

const RETRY_MS = 1_000;
/** On SQLite the process is blocked for about a millisecond. */
const BATCH_ROWS = 64;

export function createCountQueue<Count extends object>(
  options: CountQueueOptions<Count>,
): CountQueue<Count> {
  const { kind, log, keyOf, merge, write, maxRows, flushMs } = options;
  /** Counts in the queue that are not being written. */
  const open = new Map<string, Count>();
  const queue = createWriteBehindQueue<Count>({
    kind,
    log,
    write(counts) {
      for (const count of counts) open.delete(keyOf(count));
      return write(counts);
    },
    maxBatch: () => BATCH_ROWS,
    maxRows,
    flushMs: () => flushMs,
    retryMs: RETRY_MS,
  });
  return {
    add(count) {
      const key = keyOf(count);
      const known = open.get(key);
      if (known) merge(known, count);
      else if (queue.add(count)) open.set(key, count);
    },
    written: queue.drain,
    stop: queue.stop,
  };
}
