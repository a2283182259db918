/** The measures of `npm run eval`, with values computed by hand. */
import { expect, test } from "bun:test";
import {
  computeAuroc,
  limitAtRate,
  percentile,
  shareAbove,
  thresholdAtRate,
  thresholdAtRecall,
} from "../../eval/metrics.ts";
import {
  countSpans,
  f1Of,
  precisionOf,
  recallOf,
  type SpanCounts,
} from "../../eval/score-spans.ts";

test("AUROC is the share of pairs in which the positive text scores higher", () => {
  // Of six pairs, 0.8 wins against 0.7, 0.3 and 0.1, and 0.5 against 0.3 and 0.1.
  expect(computeAuroc([0.8, 0.5], [0.7, 0.3, 0.1])).toBeCloseTo(5 / 6, 12);
  expect(computeAuroc([3, 4], [1, 2])).toBe(1);
  expect(computeAuroc([1, 2], [3, 4])).toBe(0);
});

test("AUROC counts equal scores as half a win", () => {
  expect(computeAuroc([0, 0], [0, 0, 0])).toBe(0.5);
  // 0.9 wins twice; 0.5 ties with 0.5 and wins against 0.2: 3.5 of 4 pairs.
  expect(computeAuroc([0.9, 0.5], [0.5, 0.2])).toBe(0.875);
});

test("the limit at a rate allows that share of negative texts and no more", () => {
  const negative = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
  expect(limitAtRate(negative, 0.2)).toBe(0.8);
  expect(shareAbove(negative, 0.8)).toBe(0.2);
  expect(limitAtRate(negative, 0.29)).toBe(0.8);
  expect(limitAtRate(negative, 0)).toBe(1);
  expect(limitAtRate(negative, 1)).toBe(Number.NEGATIVE_INFINITY);
});

test("the threshold at a recall is the highest in hundredths that finds that share", () => {
  expect(thresholdAtRecall([0.2, 0.999, 0.857, 0.3, 0.1], 0.4)).toBe(0.85);
});

test("the threshold at a rate is the lowest in hundredths that no more of the negative texts reach", () => {
  expect(thresholdAtRate([0.1, 0.9, 0.857, 0.3, 0.1], 0.2)).toBe(0.86);
  expect(thresholdAtRate([0.1, 0.9, 0.85, 0.3, 0.1], 0.2)).toBe(0.86);
});

test("negative texts with the same score are never split by the limit", () => {
  // One of four may be flagged; three share the highest score, so none is.
  const negative = [0.9, 0.9, 0.9, 0.1];
  const limit = limitAtRate(negative, 0.25);
  expect(shareAbove(negative, limit)).toBe(0);
  expect(shareAbove([0.95, 0.9, 0.2, 0.1], limit)).toBe(0.25);
});

test("percentiles are values of the list", () => {
  expect(percentile([4, 1, 3, 2], 0.5)).toBe(2);
  expect(percentile([4, 1, 3, 2], 0.99)).toBe(4);
  expect(percentile([7], 0.01)).toBe(7);
});

const spans = (...list: [type: string, start: number, end: number][]) =>
  list.map(([type, start, end]) => ({ type, start, end }));

function score(reported: ReturnType<typeof spans>, labeled: ReturnType<typeof spans>) {
  const counts = new Map<string, SpanCounts>();
  countSpans(counts, reported, labeled);
  return Object.fromEntries(counts);
}

test("a span is a hit with the same type and half of the union in common", () => {
  expect(score(spans(["email", 0, 10]), spans(["email", 0, 10]))).toEqual({
    email: { hits: 1, reported: 1, labeled: 1 },
  });
  // 5 of 10 characters in common.
  expect(score(spans(["email", 5, 10]), spans(["email", 0, 10])).email?.hits).toBe(1);
  // 5 of 11, then 5 of 15.
  expect(score(spans(["email", 6, 11]), spans(["email", 0, 11])).email?.hits).toBe(0);
  expect(score(spans(["email", 5, 15]), spans(["email", 0, 10])).email?.hits).toBe(0);
  expect(score(spans(["phone", 0, 10]), spans(["email", 0, 10]))).toEqual({
    phone: { hits: 0, reported: 1, labeled: 0 },
    email: { hits: 0, reported: 0, labeled: 1 },
  });
});

test("a labeled span is hit once, and a reported span hits once", () => {
  const twice = spans(["card", 0, 16], ["card", 0, 16]);
  expect(score(twice, spans(["card", 0, 16])).card).toEqual({ hits: 1, reported: 2, labeled: 1 });
  expect(score(spans(["card", 0, 16]), twice).card).toEqual({ hits: 1, reported: 1, labeled: 2 });
});

test("F1 is the harmonic mean of precision and recall", () => {
  const counts = { hits: 6, reported: 8, labeled: 12 };
  expect(precisionOf(counts)).toBe(0.75);
  expect(recallOf(counts)).toBe(0.5);
  expect(f1Of(counts)).toBeCloseTo(0.6, 12);
});
