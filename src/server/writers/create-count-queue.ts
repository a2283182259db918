/** Adds up counts in memory, and writes them to the database every few seconds. */
import { createWriteBehindQueue } from "../../db/write-behind-queue.ts";
import type { Log } from "../../lib/log.ts";

export interface CountQueueOptions<Count> {
  /** Begins the names of log events. */
  kind: string;
  log: Log;
  write: (counts: readonly Count[]) => Promise<void>;
  maxRows: number;
  flushMs: number;
}

export interface CountQueue<Count> {
  /** Returns the count with this key, to add to it in place; undefined if it is being written. */
  find: (key: string) => Count | undefined;
  /** Adds a count whose key is unknown. */
  add: (key: string, count: Count) => void;
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
  const { kind, log, write, maxRows, flushMs } = options;
  /** Counts in the queue that are not being written. */
  const open = new Map<string, Count>();
  const queue = createWriteBehindQueue<{ key: string; count: Count }>({
    kind,
    log,
    write(rows) {
      for (const { key } of rows) open.delete(key);
      return write(rows.map(({ count }) => count));
    },
    maxBatch: () => BATCH_ROWS,
    maxRows,
    flushMs: () => flushMs,
    retryMs: RETRY_MS,
  });
  return {
    find: (key) => open.get(key),
    add(key, count) {
      if (queue.add({ key, count })) open.set(key, count);
    },
    written: queue.drain,
    stop: queue.stop,
  };
}
