/** The score_buckets table: a histogram of scores for each collector and detector. */
import type { Db } from "../db.ts";

export interface ScoreCount {
  collector_id: string;
  detector_id: string;
  /** Number of a bucket of `src/lib/logit-buckets.ts`. */
  bucket: number;
  count: number;
  /** The newest evaluation in the bucket. */
  event_id: string;
}

/** Adds counts to those of other nodes. Skips collectors and detectors that were deleted. */
export async function addScoreCounts(
  db: Db,
  counts: readonly ScoreCount[],
  at: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    // In a fixed order, so that two nodes cannot deadlock.
    const keyOf = (row: ScoreCount) => `${row.collector_id} ${row.detector_id} ${row.bucket}`;
    const ordered = counts.toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    for (const { collector_id, detector_id, bucket, count, event_id } of ordered) {
      await tx.run(
        `INSERT INTO score_buckets (collector_id, detector_id, bucket, count, event_id, created_at)
         SELECT c.id, d.id, CAST($3 AS INTEGER), CAST($4 AS INTEGER), CAST($5 AS TEXT), CAST($6 AS TEXT)
         FROM collectors c, detectors d WHERE c.id = $1 AND d.id = $2
         ON CONFLICT (collector_id, detector_id, bucket) DO UPDATE
         SET count = score_buckets.count + excluded.count, event_id = excluded.event_id`,
        ...[collector_id, detector_id, bucket, count, event_id, at],
      );
    }
  });
}

export interface ScoreBucket extends Omit<ScoreCount, "collector_id"> {
  created_at: string;
}

/** Returns the buckets of a collector that are not empty, in order. */
export async function listScoreBuckets(db: Db, collector_id: string): Promise<ScoreBucket[]> {
  const rows = await db.many<ScoreBucket>(
    `SELECT detector_id, bucket, count, event_id, created_at FROM score_buckets
     WHERE collector_id = $1 ORDER BY detector_id, bucket`,
    collector_id,
  );
  return rows.map((row) => ({ ...row, count: Number(row.count) }));
}

/** Returns the number of deleted buckets. */
export const deleteScoreBuckets = (db: Db, collector_id: string): Promise<number> =>
  db.run("DELETE FROM score_buckets WHERE collector_id = $1", collector_id);
