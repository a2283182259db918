/**
 * Writes evaluations in batches, after their answers. With `before` none is lost with the process: it stands in a
 * journal until then, or its answer waits for the commit.
 */
import { AppError } from "../../contract/errors.ts";
import { STATUSES } from "../../contract/evaluate.ts";
import type { Db } from "../../db/db.ts";
import { insertEvaluations, type RecordedEvaluation } from "../../db/evaluation-events.ts";
import type { Deps } from "../../deps.ts";
import type { Journal } from "../../lib/journal.ts";
import type { Log } from "../../lib/log.ts";
import { type Counts, count, newCounts } from "../../lib/metrics.ts";
import { queueJournal, reportUnwritten } from "./queue-journal.ts";

/** Rows in one statement, and characters of their texts: on SQLite the process waits for it, about a millisecond. */
const BATCH = 64;
const BATCH_CHARACTERS = 256 * 1024;
/** Some hundred megabytes of texts at most: minutes of a busy node while the database is away. */
const MAX_WAITING = 50_000;
const WRITE_AFTER_MS = 100;
/** While several wait for their commit, it waits this long for more. */
const GATHER_MS = 1;
const TRY_AGAIN_MS = 500;

interface Waiting {
  recorded: RecordedEvaluation;
  /** Ends the wait of the response for it: whether the event is safe on disk. */
  done?: ((stored: boolean) => void) | undefined;
}

export interface EvaluationWriter {
  record: Deps["recordEvaluation"];
  /** How many are not written yet. */
  waiting: () => number;
  /** Resolves when all that was told before stands in the database, or the database is away. */
  written: () => Promise<void>;
  /** Whether the database was away when they were to be written. */
  held: () => boolean;
  /** How many were dropped or refused. */
  lost: () => number;
  /** How many were neither in the journal nor in the database when their response was due. */
  unrecorded: () => number;
  /** How many there were, by status. */
  statuses: Counts;
  stop: () => Promise<void>;
}

/** A commit of its own takes a third of what an evaluation costs that comes alone; a line in a journal, a ninth of that. */
export function writeEvaluations(
  db: Db,
  log: Log,
  { commit, journal: lines }: { commit: "before" | "after"; journal?: Journal | undefined },
): EvaluationWriter {
  const journal = queueJournal<RecordedEvaluation>(lines, log);
  /** On SQLite the journal makes an event safe. On Postgres the commit does: the local disk may be short-lived. */
  const stores_first = commit === "before" && db.dialect === "sqlite";
  const statuses = newCounts([...STATUSES, "error"]);
  let waiting: Waiting[] = [];
  /** How many waited once, and no longer do. */
  let taken = 0;
  let writing: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let held = false;
  let crowded = false;
  let lost = 0;
  let unrecorded = 0;
  let stopped = false;

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing ??= write().finally(() => {
      writing = undefined;
      if (waiting.length) soon(held ? TRY_AGAIN_MS : GATHER_MS);
    });
    return writing;
  };
  const soon = (ms: number) => {
    if (!stopped) timer ??= setTimeout(() => void flush(), ms);
  };
  const write = async () => {
    /** How many go one by one: one that the database refuses must not take those beside it along. */
    let single = 0;
    // What comes meanwhile waits for more to share its commit.
    for (const told = taken + waiting.length; taken < told; ) {
      const batch = single > 0 ? waiting.slice(0, 1) : oneBatch(waiting);
      crowded = batch.length > 1;
      try {
        await journal.during(
          () => insertEvaluations(db, recordedOf(batch)),
          () => recordedOf(waiting),
        );
        if (held) log("evaluations_written", { level: "info", waiting: waiting.length });
        held = false;
      } catch (thrown) {
        // The events stay here until the database is back. Meanwhile verdicts are returned: on Postgres all of
        // them, on SQLite those in the journal; the collector's fail mode decides about the others.
        const { code } = AppError.from(thrown);
        if (code === "unavailable") {
          if (!held)
            log("evaluations_held", { level: "error", waiting: waiting.length, error: thrown });
          held = true;
          for (const each of waiting) {
            each.done?.(!stores_first || journal.missing([each.recorded]) === 0);
            each.done = undefined;
          }
          return;
        }
        if (batch.length > 1) {
          single = batch.length;
          continue;
        }
        // It may be there already: the connection broke when it was written, before that was told.
        if (code !== "already_exists") {
          lost += 1;
          log("evaluation_refused", { level: "error", error: thrown });
        }
      }
      single = Math.max(0, single - 1);
      waiting = waiting.slice(batch.length);
      taken += batch.length;
      for (const { done } of batch) done?.(true);
      journal.remove(recordedOf(batch));
      if (taken < told) await new Promise(setImmediate); // on SQLite nobody else has a turn before
    }
  };
  const notRecorded = () => {
    unrecorded += 1;
    return new AppError("activity_failed");
  };
  return {
    record(recorded) {
      count(statuses, recorded.event.status);
      if (waiting.length >= MAX_WAITING) {
        lost += 1;
        if (lost % 1000 === 1) log("evaluations_dropped", { level: "error", count: lost });
        return stores_first ? Promise.reject(notRecorded()) : Promise.resolve();
      }
      const stored = (stores_first || journal.isBehind()) && journal.store(recorded);
      if ((stores_first && stored) || commit === "after" || (held && !stores_first)) {
        waiting.push({ recorded });
        if (waiting.length === BATCH && !held) setImmediate(() => void flush());
        else soon(held ? TRY_AGAIN_MS : WRITE_AFTER_MS);
        return Promise.resolve();
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const done = (safe: boolean) => (safe ? resolve() : reject(notRecorded()));
      waiting.push({ recorded, done });
      if (waiting.length === 1 && !writing) {
        // A timer of 0 ms takes a whole one: somebody who comes alone would wait for it.
        if (crowded) soon(GATHER_MS);
        else setImmediate(() => void flush());
      }
      return promise;
    },
    waiting: () => waiting.length,
    written: async () => {
      for (const told = taken + waiting.length; taken < told && !held; ) await flush();
    },
    held: () => held,
    lost: () => lost,
    unrecorded: () => unrecorded,
    statuses,
    stop: async () => {
      stopped = true;
      await writing;
      do await flush();
      while (waiting.length && !held);
      const dropped = journal.missing(recordedOf(waiting));
      lost += dropped;
      reportUnwritten(log, "evaluations", waiting.length, dropped);
    },
  };
}

const recordedOf = (waiting: readonly Waiting[]): RecordedEvaluation[] =>
  waiting.map(({ recorded }) => recorded);

function oneBatch(waiting: readonly Waiting[]): Waiting[] {
  let characters = 0;
  const end = waiting.findIndex(({ recorded }, index) => {
    if (index === BATCH || characters > BATCH_CHARACTERS) return true;
    for (const { text } of recorded.content ?? []) characters += text.length;
    return false;
  });
  return end < 0 ? [...waiting] : waiting.slice(0, end);
}
