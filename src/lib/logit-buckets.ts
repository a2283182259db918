/** Buckets of equal width on a logit scale, for numbers from 0 to 1: as fine near 0 and 1 as around one half. */

/** Width in logits: neighboring edges differ by 5 % in odds. */
const WIDTH = 0.05;
/** The first bucket starts at a logit of -10, which is 0.00005; the last ends at 10. */
const LOWEST = -10;
export const BUCKET_COUNT = 400;

/** Numbers beyond the scale, and 0 and 1, belong to the first or last bucket. */
export function findBucket(number: number): number {
  const position = (Math.log(number / (1 - number)) - LOWEST) / WIDTH;
  return Math.min(BUCKET_COUNT - 1, Math.max(0, Math.floor(position)));
}

/** Returns the lower edge of a bucket, rounded to six digits. */
export function lowerEdge(bucket: number): number {
  if (bucket <= 0) return 0;
  if (bucket >= BUCKET_COUNT) return 1;
  return Math.round(1e6 / (1 + Math.exp(-(LOWEST + bucket * WIDTH)))) / 1e6;
}
