/** Counts the scores of evaluations in memory, and adds them to the histograms in the database every few seconds. */
import type { Db } from "../../db/db.ts";
import { addScoreCounts, type ScoreCount } from "../../db/tables/score-buckets.ts";
import type { Deps } from "../../deps.ts";
import type { Log } from "../../lib/log.ts";
import { findBucket } from "../../lib/logit-buckets.ts";
import { createCountQueue } from "./create-count-queue.ts";

const FLUSH_MS = 5_000;
/** Buckets of 50 pairs of a collector and a detector, if all of them are in use within FLUSH_MS. */
const MAX_QUEUED = 20_000;

export interface ScoreWriter {
  record: Deps["recordScores"];
  /** Resolves when the scores recorded before are in the database, or it is unavailable. */
  written: () => Promise<void>;
  stop: () => Promise<void>;
}

export function writeScores(db: Db, now: () => Date, log: Log): ScoreWriter {
  const queue = createCountQueue<ScoreCount>({
    kind: "score",
    log,
    write: (counts) => addScoreCounts(db, counts, now().toISOString()),
    maxRows: MAX_QUEUED,
    flushMs: FLUSH_MS,
  });
  return {
    record({ collector_id, event_id, scores }) {
      for (const [detector_id, score] of Object.entries(scores)) {
        const bucket = findBucket(score);
        const key = `${collector_id} ${detector_id} ${bucket}`;
        const known = queue.find(key);
        if (!known) {
          queue.add(key, { collector_id, detector_id, bucket, count: 1, event_id });
          continue;
        }
        known.count += 1;
        known.event_id = event_id;
      }
    },
    written: queue.written,
    stop: queue.stop,
  };
}
