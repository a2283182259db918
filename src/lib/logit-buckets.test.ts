import { expect, test } from "bun:test";
import { BUCKET_COUNT, findBucket, lowerEdge } from "./logit-buckets.ts";

test("every number is between the edges of its bucket", () => {
  for (const number of [0, 1e-9, 0.0001, 0.02, 0.3, 0.5, 0.77, 0.99, 0.9999, 1]) {
    const bucket = findBucket(number);

    expect(lowerEdge(bucket)).toBeLessThanOrEqual(number);
    expect(lowerEdge(bucket + 1)).toBeGreaterThanOrEqual(number);
  }
});

test("edges rise from 0 to 1", () => {
  const edges = Array.from({ length: BUCKET_COUNT + 1 }, (_, bucket) => lowerEdge(bucket));

  expect(edges).toEqual([...new Set(edges)].sort((one, other) => one - other));
  expect([edges[0], edges.at(-1)]).toEqual([0, 1]);
});
