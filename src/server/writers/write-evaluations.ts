/**
 * Records evaluations in batches, after their responses. With `before`, none is lost with the process: the response
 * waits until the event is in a journal, or committed.
 */
import { AppError } from "../../contract/errors.ts";
import { STATUSES } from "../../contract/guard/actions.ts";
import type { Direction } from "../../contract/guard/evaluate.ts";
import type { Db } from "../../db/db.ts";
import { createQueueJournal } from "../../db/queue-journal.ts";
import { insertEvaluations, type RecordedEvaluation } from "../../db/tables/evaluation-events.ts";
import { createWriteBehindQueue } from "../../db/write-behind-queue.ts";
import type { Deps } from "../../deps.ts";
import type { Journal } from "../../lib/journal.ts";
import type { Log } from "../../lib/log.ts";
import { type Counts, count, newCounts } from "../../lib/metrics.ts";

/** Rows in one statement, and characters of their texts: SQLite blocks the process for about a millisecond. */
const BATCH_ROWS = 64;
const BATCH_CHARACTERS = 256 * 1024;
/** A few hundred megabytes of text: minutes of a busy node during an outage of the database. */
const MAX_QUEUED = 50_000;
const FLUSH_MS = 100;
/** Delay for more events to share a commit that responses wait for. */
const SHARED_COMMIT_MS = 1;
const RETRY_MS = 500;

export interface EvaluationWriter {
  /** Resolves when the response may be sent. */
  record: Deps["recordEvaluation"];
  /** Events in the queue. */
  waiting: () => number;
  /** Resolves when the events recorded before are in the database, or it is unavailable. */
  written: () => Promise<void>;
  /** True while events wait for the database to become available. */
  held: () => boolean;
  /** Events that were lost since the start: the queue was full, or the database refused them. */
  lost: () => number;
  /** Events that were neither in the journal nor in the database when their response was due. */
  unrecorded: () => number;
  /** Evaluations by direction and status. */
  statuses: Readonly<Record<Direction, Counts>>;
  stop: () => Promise<void>;
}

/** A commit for each costs a third of a single evaluation; a line in a journal, a ninth of that. */
export function writeEvaluations(
  db: Db,
  log: Log,
  { commit, journal: file }: { commit: "before" | "after"; journal?: Journal | undefined },
): EvaluationWriter {
  const journal = createQueueJournal<RecordedEvaluation>(file, log);
  /** On SQLite the journal makes an event safe. On Postgres the commit does: the local disk may be short-lived. */
  const storesFirst = commit === "before" && db.dialect === "sqlite";
  const statuses = { input: newStatusCounts(), output: newStatusCounts() };
  /** Responses that wait for their event to be safe. */
  const responses = new Map<RecordedEvaluation, (isSafe: boolean) => void>();
  /** Events of this turn of the event loop, which one write stores in the journal at its end. */
  let unstored: RecordedEvaluation[] = [];
  let isBatching = false;
  let unrecorded = 0;

  const settle = (
    events: readonly RecordedEvaluation[],
    isSafe: (event: RecordedEvaluation) => boolean,
  ) => {
    if (responses.size === 0) return;
    for (const event of events) {
      responses.get(event)?.(isSafe(event));
      responses.delete(event);
    }
  };
  const storeTurn = () => {
    // An event may have been committed meanwhile.
    const events = unstored.filter((event) => responses.has(event));
    unstored = [];
    const isStored = journal.store(events);
    settle(isStored ? events : events.filter(journal.isStored), () => true);
    if (!isStored) void queue.drain(); // the others wait for the commit
  };
  /** A response that waits alone is not delayed. */
  const flushMs = () => {
    if (responses.size <= unstored.length) return FLUSH_MS;
    return isBatching ? SHARED_COMMIT_MS : 0;
  };
  const queue = createWriteBehindQueue<RecordedEvaluation>({
    kind: "evaluation",
    log,
    write(events) {
      isBatching = events.length > 1;
      return insertEvaluations(db, events);
    },
    maxBatch,
    maxRows: MAX_QUEUED,
    flushMs,
    flushRows: BATCH_ROWS,
    retryMs: RETRY_MS,
    journal,
    onDone: (events) => settle(events, () => true),
    // Verdicts are returned during an outage: on Postgres all of them, on SQLite those in the journal; the
    // collector's fail mode decides about the others.
    onHeld: (events) => settle(events, (event) => !storesFirst || journal.isStored(event)),
  });
  const failUnrecorded = () => {
    unrecorded += 1;
    return new AppError("activity_failed");
  };
  return {
    record(event) {
      const { direction, status } = event.event;
      count(statuses[direction], status);
      // Before the journal: an event that is dropped must not stay there.
      if (queue.isFull()) {
        queue.add(event);
        return storesFirst ? Promise.reject(failUnrecorded()) : Promise.resolve();
      }
      if (!storesFirst && (commit === "after" || queue.isHeld())) {
        queue.add(event);
        return Promise.resolve();
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      responses.set(event, (safe) => (safe ? resolve() : reject(failUnrecorded())));
      if (storesFirst && unstored.push(event) === 1) setImmediate(storeTurn);
      queue.add(event);
      return promise;
    },
    waiting: queue.size,
    written: queue.drain,
    held: queue.isHeld,
    lost: queue.lost,
    unrecorded: () => unrecorded,
    statuses,
    stop: queue.stop,
  };
}

const newStatusCounts = (): Counts => newCounts([...STATUSES, "error"]);

function maxBatch(events: readonly RecordedEvaluation[]): number {
  let characters = 0;
  const end = events.findIndex(({ content }, index) => {
    if (index === BATCH_ROWS || characters > BATCH_CHARACTERS) return true;
    for (const { text } of content ?? []) characters += text.length;
    return false;
  });
  return end < 0 ? events.length : end;
}
