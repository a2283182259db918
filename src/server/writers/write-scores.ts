/** Counts the scores of evaluations in memory, and adds them to the histograms in the database every few seconds. */
import type { Db } from "../../db/db.ts";
import { addScoreCounts, type ScoreCount } from "../../db/tables/score-buckets.ts";
import { createWriteBehindQueue } from "../../db/write-behind-queue.ts";
import type { Deps } from "../../deps.ts";
import type { Log } from "../../lib/log.ts";
import { findBucket } from "../../lib/logit-buckets.ts";

const FLUSH_MS = 5_000;
const RETRY_MS = 1_000;
/** On SQLite the process is blocked for about a millisecond. */
const BATCH_ROWS = 64;
/** Buckets of 50 pairs of a collector and a detector, if all of them are in use within FLUSH_MS. */
const MAX_QUEUED = 20_000;

export interface ScoreWriter {
  record: Deps["recordScores"];
  /** Resolves when the scores recorded before are in the database, or it is unavailable. */
  written: () => Promise<void>;
  stop: () => Promise<void>;
}

export function writeScores(db: Db, now: () => Date, log: Log): ScoreWriter {
  /** Counts in the queue that are not being written. */
  const open = new Map<string, ScoreCount>();
  const keyOf = ({ collector_id, detector_id, bucket }: Omit<ScoreCount, "count" | "event_id">) =>
    `${collector_id} ${detector_id} ${bucket}`;
  const queue = createWriteBehindQueue<ScoreCount>({
    kind: "score",
    log,
    write(counts) {
      for (const count of counts) open.delete(keyOf(count));
      return addScoreCounts(db, counts, now().toISOString());
    },
    batchSize: ({ length }) => Math.min(length, BATCH_ROWS),
    maxRows: MAX_QUEUED,
    flushMs: () => FLUSH_MS,
    retryMs: RETRY_MS,
  });
  return {
    record({ collector_id, event_id, scores }) {
      for (const [detector_id, score] of Object.entries(scores)) {
        const place = { collector_id, detector_id, bucket: findBucket(score) };
        const key = keyOf(place);
        const known = open.get(key);
        if (known) {
          known.count += 1;
          known.event_id = event_id;
          continue;
        }
        const added = { ...place, count: 1, event_id };
        if (queue.add(added)) open.set(key, added);
      }
    },
    written: queue.drain,
    stop: queue.stop,
  };
}
