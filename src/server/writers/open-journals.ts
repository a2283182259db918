/** Opens the journals of both event queues, and recovers those of earlier processes. */
import { join } from "node:path";
import type { RequestEvent } from "../../contract/gateway/requests.ts";
import { configRevision } from "../../db/config-revision.ts";
import type { Db } from "../../db/db.ts";
import { sqliteFile } from "../../db/sqlite.ts";
import { insertEvaluations, type RecordedEvaluation } from "../../db/tables/evaluation-events.ts";
import { insertRequestEvents } from "../../db/tables/request-events.ts";
import { findAbandonedJournals, type Journal, openJournal } from "../../lib/journal.ts";
import type { Log } from "../../lib/log.ts";
import type { Settings } from "../../settings.ts";
import { type Recovered, recoverEvents } from "./recover-events.ts";

/** Cap for each kind, including journals of earlier processes: a long outage must not fill the disk. */
const MAX_BYTES = 256 * 1024 * 1024;
const RETRY_MS = 1_000;

export interface Journals {
  events: Journal;
  evaluations: Journal;
  /** Returns true while evaluations of an earlier process are not in the database yet. */
  evaluationsLeft: () => boolean;
  stop: () => void;
}

export async function openJournals(settings: Settings, db: Db, log: Log): Promise<Journals> {
  // Next to a SQLite database, so that they are moved with it.
  const base =
    sqliteFile(settings.DATABASE_URL) ?? join(settings.PORTCULLIS_DATA_DIR, "portcullis");
  const [events, evaluations] = await Promise.all([
    recovering<RequestEvent>(`${base}-requests`, log, {
      kind: "events",
      insert: (rows) => insertRequestEvents(db, rows),
    }),
    recovering<RecordedEvaluation>(`${base}-activity`, log, {
      kind: "evaluations",
      insert: (rows) => insertEvaluations(db, rows),
    }),
  ]);
  let running = false;
  const retry = async () => {
    if (running || !(events.isLeft() || evaluations.isLeft())) return;
    running = true;
    try {
      await configRevision(db); // reads the files only when the database is available
      await events.retry();
      await evaluations.retry();
    } catch {
      // Retried by the timer.
    }
    running = false;
  };
  const retrying = setInterval(() => void retry(), RETRY_MS);
  return {
    events: events.journal,
    evaluations: evaluations.journal,
    evaluationsLeft: evaluations.isLeft,
    stop: () => clearInterval(retrying),
  };
}

async function recovering<Event>(path: string, log: Log, recovered: Recovered<Event>) {
  const found = await findAbandonedJournals(path);
  let left = await recoverEvents(log, found, recovered);
  const bytes = left.reduce((sum, journal) => sum + journal.bytes, 0);
  /** `…_held` was logged at the start. */
  const onlyRecovered: Log = (event, fields) => {
    if (!event.endsWith("_held")) log(event, fields);
  };
  return {
    journal: openJournal(path, MAX_BYTES - bytes),
    isLeft: () => left.length > 0,
    async retry() {
      left = await recoverEvents(onlyRecovered, left, recovered);
    },
  };
}
