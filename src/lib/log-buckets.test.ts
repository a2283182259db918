/** Quantiles of durations are within 9 % of the exact ones. */
import { expect, test } from "bun:test";
import { findLogBucket, findQuantile } from "./log-buckets.ts";

test("quantiles are within 9 % of the exact ones, from 1 ms to 10 minutes", () => {
  const durations = Array.from({ length: 2_000 }, (_, at) => 1.007 ** at % 600_000).map(
    (ms) => ms + 1,
  );
  const counts = new Map<number, number>();
  for (const ms of durations) {
    const bucket = findLogBucket(ms);
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  const ordered = durations.toSorted((one, other) => one - other);
  for (const share of [0.01, 0.5, 0.95, 0.99]) {
    const exact = ordered[Math.ceil(share * ordered.length) - 1] ?? 0;
    const ratio = (findQuantile(counts, share) ?? 0) / exact;
    expect(ratio).toBeGreaterThan(0.91);
    expect(ratio).toBeLessThan(1.1);
  }
});

test("no durations have no quantile, and extreme ones have a bucket", () => {
  expect(findQuantile(new Map(), 0.5)).toBeNull();
  for (const ms of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(Number.isInteger(findLogBucket(ms))).toBe(true);
  }
});
