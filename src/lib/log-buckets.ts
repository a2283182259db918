/** Buckets on a logarithmic scale for durations: four per doubling, so that a quantile is exact within 9 %. */

/** Upper edge of the first bucket, in milliseconds. */
const FIRST_EDGE = 0.25;
const PER_DOUBLING = 4;
/** The last bucket contains everything above an hour. */
const LAST = 96;

export function findLogBucket(ms: number): number {
  if (!(ms > FIRST_EDGE)) return 0;
  return Math.min(LAST, Math.ceil(PER_DOUBLING * Math.log2(ms / FIRST_EDGE)));
}

/** Returns the geometric middle of a bucket in milliseconds, rounded to three digits. */
function middleOf(bucket: number): number {
  return Number((FIRST_EDGE * 2 ** ((bucket - 0.5) / PER_DOUBLING)).toPrecision(3));
}

/** Returns the duration that `share` of the counted ones do not exceed; null if nothing was counted. */
export function findQuantile(counts: ReadonlyMap<number, number>, share: number): number | null {
  const ordered = [...counts].sort(([one], [other]) => one - other);
  const total = ordered.reduce((sum, [, count]) => sum + count, 0);
  let passed = 0;
  for (const [bucket, count] of ordered) {
    passed += count;
    if (passed >= share * total) return middleOf(bucket);
  }
  return null;
}
