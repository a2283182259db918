/** Compares reported spans with labeled spans: precision, recall and F1 by type. */

export interface Span {
  type: string;
  start: number;
  end: number;
}

export interface SpanCounts {
  hits: number;
  reported: number;
  labeled: number;
}

/** A reported span is a hit if it has the type of a labeled span, and half of their union in common. */
const MIN_OVERLAP = 0.5;

/** Adds the spans of one text to `counts`, by type. A labeled span is hit at most once. */
export function countSpans(
  counts: Map<string, SpanCounts>,
  reported: readonly Span[],
  labeled: readonly Span[],
): void {
  const countsOf = (type: string) => {
    const own = counts.get(type) ?? { hits: 0, reported: 0, labeled: 0 };
    counts.set(type, own);
    return own;
  };
  for (const { type } of reported) countsOf(type).reported += 1;
  const left = new Set(reported);
  for (const span of labeled) {
    const own = countsOf(span.type);
    own.labeled += 1;
    const hit = [...left]
      .filter(({ type }) => type === span.type)
      .map((each) => ({ each, overlap: overlapOf(each, span) }))
      .sort((one, other) => other.overlap - one.overlap)[0];
    if (!hit || hit.overlap < MIN_OVERLAP) continue;
    left.delete(hit.each);
    own.hits += 1;
  }
}

/** Returns the length that both spans have in common, divided by the length that they cover together. */
function overlapOf(one: Span, other: Span): number {
  const common = Math.min(one.end, other.end) - Math.max(one.start, other.start);
  const covered = Math.max(one.end, other.end) - Math.min(one.start, other.start);
  return Math.max(0, common) / covered;
}

export const sumCounts = (counts: Iterable<SpanCounts>): SpanCounts =>
  [...counts].reduce(
    (sum, each) => ({
      hits: sum.hits + each.hits,
      reported: sum.reported + each.reported,
      labeled: sum.labeled + each.labeled,
    }),
    { hits: 0, reported: 0, labeled: 0 },
  );

export const precisionOf = ({ hits, reported }: SpanCounts): number => hits / reported;
export const recallOf = ({ hits, labeled }: SpanCounts): number => hits / labeled;
export const f1Of = ({ hits, reported, labeled }: SpanCounts): number =>
  (2 * hits) / (reported + labeled);
