/** Opens the writers that record requests, evaluations, scores and uses of keys in batches, off the request path. */
import type { Db } from "../../db/db.ts";
import type { Deps } from "../../deps.ts";
import type { Log } from "../../lib/log.ts";
import type { Settings } from "../../settings.ts";
import type { WorkerGroup } from "../group/join-group.ts";
import { openJournals } from "./open-journals.ts";
import { trackLastUsed } from "./track-last-used.ts";
import { type EvaluationWriter, writeEvaluations } from "./write-evaluations.ts";
import { type EventWriter, writeEvents } from "./write-events.ts";
import { writeScores } from "./write-scores.ts";
import { writeTraffic } from "./write-traffic.ts";

type WriterDeps = Pick<
  Deps,
  | "markUsed"
  | "recordRequest"
  | "countRequest"
  | "flushTraffic"
  | "recordEvaluation"
  | "recordScores"
  | "flushEvaluations"
  | "hasHeldEvaluations"
>;

export interface Writers {
  deps: WriterDeps;
  events: EventWriter;
  evaluations: EvaluationWriter;
  /** Resolves when everything recorded by this process is in the database, or it is unavailable. */
  flush: () => Promise<void>;
  stop: () => Promise<void>;
}

interface WriterOptions {
  db: Db;
  /** The database of events. */
  eventDb: Db;
  now: () => Date;
  log: Log;
  group: WorkerGroup | undefined;
}

export async function openWriters(
  settings: Settings,
  { db, eventDb, now, log, group }: WriterOptions,
): Promise<Writers> {
  await using opened = new AsyncDisposableStack();
  const lastUsed = trackLastUsed(db, now, log);
  opened.defer(() => lastUsed.stop());
  const journals = await openJournals(settings, eventDb, { log, worker: group });
  opened.defer(() => journals.stop());
  const events = writeEvents(eventDb, log, journals.events);
  opened.defer(() => events.stop());
  const commit = settings.ACTIVITY_COMMIT ?? (db.dialect === "sqlite" ? "before" : "after");
  const evaluations = writeEvaluations(eventDb, log, { commit, journal: journals.evaluations });
  opened.defer(() => evaluations.stop());
  const scores = writeScores(eventDb, now, log);
  opened.defer(() => scores.stop());
  const traffic = writeTraffic(eventDb, log);
  opened.defer(() => traffic.stop());

  const writeEvaluationsAndScores = async () => {
    await evaluations.written();
    await scores.written();
  };
  const flushOthers = async () => await group?.request("flushOthers", null);
  const running = opened.move();
  return {
    deps: {
      markUsed: lastUsed.mark,
      countRequest: traffic.countRequest,
      recordRequest: (event) => {
        traffic.countRequest(event);
        events.record(event);
      },
      recordEvaluation: (recorded) => {
        traffic.countEvaluation(recorded.event);
        return evaluations.record(recorded);
      },
      flushTraffic: async () => void (await Promise.all([traffic.written(), flushOthers()])),
      recordScores: scores.record,
      flushEvaluations: async () =>
        void (await Promise.all([writeEvaluationsAndScores(), flushOthers()])),
      hasHeldEvaluations: () => journals.evaluationsLeft() || evaluations.held(),
    },
    events,
    evaluations,
    flush: async () => void (await Promise.all([traffic.written(), writeEvaluationsAndScores()])),
    stop: () => running.disposeAsync(),
  };
}
