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

/** Each worker of a group has files of its own. Only a process that starts alone recovers those of others. */
export async function openJournals(
  settings: Settings,
  db: Db,
  { log, worker }: { log: Log; worker: { index: number; alone: boolean } | undefined },
): Promise<Journals> {
  // Next to a SQLite database, so that they are moved with it.
  const base =
    sqliteFile(settings.DATABASE_URL) ?? join(settings.PORTCULLIS_DATA_DIR, "portcullis");
  const pathsOf = (kind: string): JournalPaths => {
    const path = `${base}-${kind}`;
    const own = worker ? `${path}-w${worker.index}` : path;
    return { own, recovered: worker?.alone === false ? own : path };
  };
  const [events, evaluations] = await Promise.all([
    recovering<RequestEvent>(pathsOf("requests"), log, {
      kind: "events",
      insert: (rows) => insertRequestEvents(db, rows),
    }),
    recovering<RecordedEvaluation>(pathsOf("activity"), log, {
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

/** Prefixes of file names. */
interface JournalPaths {
  own: string;
  recovered: string;
}

async function recovering<Event>(paths: JournalPaths, log: Log, recovered: Recovered<Event>) {
  const found = await findAbandonedJournals(paths.recovered);
  let left = await recoverEvents(log, found, recovered);
  const bytes = left.reduce((sum, journal) => sum + journal.bytes, 0);
  /** `…_held` was logged at the start. */
  const onlyRecovered: Log = (event, fields) => {
    if (!event.endsWith("_held")) log(event, fields);
  };
  return {
    journal: openJournal(paths.own, MAX_BYTES - bytes),
    isLeft: () => left.length > 0,
    async retry() {
      left = await recoverEvents(onlyRecovered, left, recovered);
    },
  };
}
