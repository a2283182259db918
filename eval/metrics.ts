/** Measures of a detector: ranking of its scores, recall at a false-positive rate, and percentiles. */

/**
 * Returns the area under the ROC curve: the probability that a positive text scores higher than a negative one. Equal
 * scores count half.
 */
export function computeAuroc(positive: readonly number[], negative: readonly number[]): number {
  const scores = [
    ...positive.map((score) => ({ score, isPositive: true })),
    ...negative.map((score) => ({ score, isPositive: false })),
  ].sort((one, other) => one.score - other.score);
  let rankSum = 0;
  for (let first = 0; first < scores.length; ) {
    let end = first + 1;
    while (scores[end]?.score === scores[first]?.score && end < scores.length) end += 1;
    const meanRank = (first + 1 + end) / 2;
    for (const { isPositive } of scores.slice(first, end)) if (isPositive) rankSum += meanRank;
    first = end;
  }
  const wins = rankSum - (positive.length * (positive.length + 1)) / 2;
  return wins / (positive.length * negative.length);
}

/**
 * Returns the lowest score that texts must exceed so that at most `rate` of the negative texts do. Texts with the same
 * score are on the same side of it.
 */
export function limitAtRate(negative: readonly number[], rate: number): number {
  const allowed = Math.floor(rate * negative.length + 1e-9);
  const descending = negative.toSorted((one, other) => other - one);
  return descending[allowed] ?? Number.NEGATIVE_INFINITY;
}

/** Returns the highest threshold, in hundredths, from which on at least `share` of the positive texts score. */
export function thresholdAtRecall(positive: readonly number[], share: number): number {
  const descending = positive.toSorted((one, other) => other - one);
  const limit = descending[Math.ceil(share * positive.length) - 1] ?? 0;
  return Math.floor(limit * 100) / 100;
}

/** Returns the lowest threshold, in hundredths, that at most `rate` of the negative texts reach. */
export const thresholdAtRate = (negative: readonly number[], rate: number): number =>
  (Math.floor(limitAtRate(negative, rate) * 100) + 1) / 100;

export const shareAbove = (scores: readonly number[], limit: number): number =>
  scores.filter((score) => score > limit).length / scores.length;

/** Returns the smallest value that at least `share` of the values do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const ascending = values.toSorted((one, other) => one - other);
  return ascending[Math.max(0, Math.ceil(share * values.length) - 1)] ?? Number.NaN;
}
