/** Writes data-plane events in batches, off the request path; bounded, and never lost silently. */
import { AppError } from "../../contract/errors.ts";
import type { RequestEvent } from "../../contract/requests.ts";
import type { Db } from "../../db/db.ts";
import { requestEventTable } from "../../db/request-events.ts";
import type { Journal } from "../../lib/journal.ts";
import type { Log } from "../../lib/log.ts";
import { queueJournal, reportUnwritten } from "./queue-journal.ts";

const WRITE_EVERY_MS = 250;
/** Rows in one statement. On SQLite the process waits for it: a millisecond, and others get their turn. */
const MAX_ROWS = 256;
/** About 50 MB: some minutes of a busy node while the database is away. */
const MAX_WAITING = 100_000;

export interface EventWriter {
  record: (event: RequestEvent) => void;
  /** Events in the queue. */
  waiting: () => number;
  /** Events that were lost since the start: no room for them, or refused by the database. */
  lost: () => number;
  stop: () => Promise<void>;
}

export function writeEvents(db: Db, log: Log, lines?: Journal): EventWriter {
  const journal = queueJournal<RequestEvent>(lines, log);
  let waiting: RequestEvent[] = [];
  let dropped = 0;
  let lost = 0;
  let failing = false;
  let writing: Promise<void> | undefined;

  /** Throws only when the database is away: a row it refuses holds up none that follow, and takes none along. */
  const insert = async (batch: RequestEvent[]) => {
    try {
      await requestEventTable.insertMany(db, batch);
    } catch (thrown) {
      const { code } = AppError.from(thrown);
      if (code === "unavailable") throw thrown;
      if (batch.length > 1) {
        for (const event of batch) await insert([event]);
        return;
      }
      if (code === "already_exists") return; // the connection broke when it was written, before that was told
      lost += 1;
      log("event_refused", { level: "error", error: thrown });
    }
  };
  const write = async () => {
    try {
      // What comes meanwhile goes with the next write: to follow it would take a statement for every few rows.
      for (let left = waiting.length; left > 0; ) {
        const rows = rowsFor(left);
        const batch = waiting.slice(0, rows);
        await journal.during(
          () => insert(batch),
          () => waiting,
        );
        waiting = waiting.slice(rows);
        journal.remove(batch);
        left -= rows;
        if (failing) log("events_written", { level: "info", waiting: waiting.length });
        failing = false;
        await new Promise(setImmediate);
      }
    } catch (thrown) {
      // They stay in the queue and go out when the database is back.
      if (!failing) log("events_held", { level: "error", waiting: waiting.length, error: thrown });
      failing = true;
    }
    if (dropped) log("events_dropped", { level: "error", count: dropped });
    lost += dropped;
    dropped = 0;
  };
  const flush = (): Promise<void> => {
    writing ??= write().finally(() => {
      writing = undefined;
    });
    return writing;
  };
  const timer = setInterval(() => void flush(), WRITE_EVERY_MS);
  return {
    record: (event) => {
      if (waiting.length < MAX_WAITING) {
        waiting.push(event);
        if (journal.isBehind()) journal.store(event);
      } else dropped += 1;
      // Not kept until the next turn of the clock: what outlives a look of the collector costs it more work.
      if (waiting.length === MAX_ROWS && !failing) setImmediate(flush);
    },
    waiting: () => waiting.length,
    lost: () => lost + dropped,
    stop: async () => {
      clearInterval(timer);
      await writing;
      await flush();
      reportUnwritten(log, "events", waiting.length, journal.missing(waiting));
    },
  };
}

/** A power of two: nine statements are prepared, whatever comes. A new one of 256 rows takes a millisecond or two. */
const rowsFor = (waiting: number): number =>
  2 ** Math.floor(Math.log2(Math.min(waiting, MAX_ROWS)));
