/** Histograms of the scores that detectors give to the traffic of collectors. */
import type { Migration } from "./migration.ts";

export const scoreBuckets: Migration = {
  id: "0022-score-buckets",
  sql: `
    CREATE TABLE score_buckets (
      collector_id TEXT NOT NULL REFERENCES collectors (id) ON DELETE CASCADE,
      detector_id  TEXT NOT NULL REFERENCES detectors (id) ON DELETE CASCADE,
      bucket       INTEGER NOT NULL,
      count        BIGINT NOT NULL,
      -- The newest evaluation in the bucket.
      event_id     TEXT NOT NULL,
      created_at   TEXT NOT NULL,
      PRIMARY KEY (collector_id, detector_id, bucket)
    );
    CREATE INDEX score_buckets_by_detector ON score_buckets (detector_id);
  `,
};
