/** Writes rows in batches, off the request path: bounded, in order, retried with backoff, drained at shutdown. */
import { AppError } from "../contract/errors.ts";
import type { Log } from "../lib/log.ts";
import { createQueueJournal, type QueueJournal } from "./queue-journal.ts";

export interface WriteBehindOptions<Row> {
  /** Begins the names of log events, such as `event` for `events_held` and `event_refused`. */
  kind: string;
  log: Log;
  /** Writes rows in one statement or transaction. */
  write: (rows: readonly Row[]) => Promise<void>;
  /**
   * Returns how many of the first rows may be written together; on SQLite the process blocks meanwhile. Rounded down to
   * a power of two, so that few statements are prepared: one of 256 rows takes 1 to 2 ms.
   */
  maxBatch: (rows: readonly Row[]) => number;
  maxRows: number;
  /** Delay between the first row and the write, for more rows to share it; 0 is the next turn of the event loop. */
  flushMs: () => number;
  /** This many rows are written without delay; those beyond a multiple of it wait for more. */
  flushRows?: number;
  /** First delay after the database was unavailable; doubled up to one second. */
  retryMs: number;
  /** Stores rows while the database is slow or unavailable. */
  journal?: QueueJournal<Row>;
  /** Called with rows that are in the database, or that it refused. */
  onDone?: (rows: readonly Row[]) => void;
  /** Called with all queued rows when the database is unavailable. */
  onHeld?: (rows: readonly Row[]) => void;
  /** Logged with a row that is lost; without it, lost rows are only counted. */
  toLogFields?: (row: Row) => Record<string, unknown>;
}

export interface WriteBehindQueue<Row> {
  /** Returns false when the queue is full: the row is dropped. */
  add: (row: Row) => boolean;
  isFull: () => boolean;
  /** Resolves when the rows added before are written, or the database is unavailable. */
  drain: () => Promise<void>;
  size: () => number;
  /** True while rows wait for the database to become available. */
  isHeld: () => boolean;
  /** Rows since the start that were dropped, or refused by the database. */
  lost: () => number;
  /** Writes the rest. Rows that the database does not take stay in the journal, or are lost. */
  stop: () => Promise<void>;
}

const MAX_RETRY_MS = 1_000;

export function createWriteBehindQueue<Row extends object>(
  options: WriteBehindOptions<Row>,
): WriteBehindQueue<Row> {
  const { kind, log, write, maxBatch, maxRows, flushMs, flushRows = Infinity } = options;
  const { journal = createQueueJournal(undefined, log), onDone, onHeld, toLogFields } = options;
  let rows: Row[] = [];
  /** Rows that have left the queue since the start. */
  let done = 0;
  let writing: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let held = false;
  let retryMs = options.retryMs;
  let lost = 0;
  /** Part of `lost` that is not logged yet. */
  let dropped = 0;
  let isStopped = false;

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing ??= writeAll().finally(() => {
      writing = undefined;
      logDropped();
      if (rows.length > 0) flushIn(held ? nextRetry() : rows.length < flushRows ? flushMs() : 0);
    });
    return writing;
  };
  const flushIn = (ms: number) => {
    if (isStopped) return;
    // A timer of 0 ms takes 1 ms.
    if (ms === 0) setImmediate(() => void flush());
    else timer ??= setTimeout(() => void flush(), ms);
  };
  const nextRetry = (): number => {
    const delay = retryMs;
    retryMs = Math.max(delay, Math.min(2 * delay, MAX_RETRY_MS));
    return delay;
  };
  const logDropped = () => {
    if (dropped > 0 && !toLogFields) log(`${kind}s_dropped`, { level: "error", count: dropped });
    dropped = 0;
  };
  const drop = (row: Row) => {
    lost += 1;
    dropped += 1;
    if (toLogFields) log(`${kind}_dropped`, { level: "error", ...toLogFields(row) });
  };
  const hold = (thrown: unknown) => {
    if (!held) log(`${kind}s_held`, { level: "error", waiting: rows.length, error: thrown });
    held = true;
    onHeld?.(rows);
  };
  const release = () => {
    if (held) log(`${kind}s_written`, { level: "info", waiting: rows.length });
    held = false;
    retryMs = options.retryMs;
  };

  /** Writes the rows that are queued now. Rows added meanwhile, and the last few of many, wait to share a batch. */
  const writeAll = async () => {
    /** Rows to write one by one: a refused row must not take its neighbors along. */
    let single = 0;
    const waiting = rows.length > flushRows ? rows.length % flushRows : 0;
    for (const end = done + rows.length - waiting; done < end; ) {
      const size = single > 0 ? 1 : Math.min(end - done, maxBatch(rows));
      const batch = rows.slice(0, 2 ** Math.floor(Math.log2(size)));
      try {
        await journal.during(
          () => write(batch),
          () => rows,
        );
        release();
      } catch (thrown) {
        const { code } = AppError.from(thrown);
        if (code === "unavailable") return hold(thrown);
        if (batch.length > 1) {
          single = batch.length;
          continue;
        }
        // already_exists: it was committed when the connection broke.
        if (code !== "already_exists") {
          lost += 1;
          const fields = batch[0] && toLogFields?.(batch[0]);
          log(`${kind}_refused`, { level: "error", ...fields, error: thrown });
        }
      }
      single = Math.max(0, single - 1);
      rows = rows.slice(batch.length);
      done += batch.length;
      onDone?.(batch);
      journal.remove(batch);
      if (done < end) await new Promise(setImmediate); // on SQLite other work is blocked until here
    }
  };
  const isFull = () => rows.length >= maxRows;
  return {
    isFull,
    add(row) {
      if (isFull()) {
        drop(row);
        return false;
      }
      rows.push(row);
      if (journal.isBehind()) journal.store([row]);
      if (rows.length === 1 && !writing) flushIn(flushMs());
      else if (rows.length === flushRows && !held) flushIn(0);
      return true;
    },
    async drain() {
      for (const end = done + rows.length; done < end && !held; ) await flush();
    },
    size: () => rows.length,
    isHeld: () => held,
    lost: () => lost,
    async stop() {
      isStopped = true;
      await writing;
      do await flush();
      while (rows.length > 0 && !held);
      const unsaved = rows.filter((row) => !journal.isStored(row));
      for (const row of unsaved) drop(row);
      logDropped();
      const count = rows.length - unsaved.length;
      if (count > 0) log(`${kind}s_left_in_journal`, { level: "warn", count });
    },
  };
}
