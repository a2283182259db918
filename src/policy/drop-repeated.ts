/** Drops the matches in the text of a page that its source has as well, so that each value is reported once. */
import { decodeEntities } from "../lib/documents/decode-entities.ts";
import type { PagePiece } from "../lib/documents/read-html-text.ts";
import type { Match } from "./detector.ts";
import type { Matches } from "./policy-run.ts";
import type { ReadPage, Segment } from "./segment.ts";
import type { TextSpan } from "./views/source-map.ts";

/**
 * A match is dropped only if it is in a piece of the page that the source contains as well, and its value has as many
 * matches there: the same value may be parted by tags in another place.
 */
export function dropRepeated(all: Matches): Matches {
  const inPages = all.filter(({ at }) => at?.segment.page);
  if (inPages.length === 0) return all;
  const bySource = Map.groupBy(all, ({ at }) => at?.segment);
  const dropped = new Set<Match>();
  /** Of each source and way of comparison: thousands of pages may be encoded in one source. */
  const indexes = { plain: new Map<Segment, SpanIndex>(), encoded: new Map<Segment, SpanIndex>() };
  for (const [page, matches] of Map.groupBy(inPages, ({ at }) => at?.segment.page)) {
    const found = page && bySource.get(page.source);
    if (!found) continue;
    // The source has a value of an encoded page only in its code.
    const readValue = page.run ? readNothing : textOf;
    const index = page.run ? indexes.encoded : indexes.plain;
    const spansOf = index.getOrInsertComputed(page.source, () => indexSpans(found, readValue));
    for (const [value, ofPage] of Map.groupBy(matches, (match) => toKey(match, readValue(match)))) {
      const spans = spansOf.get(value) ?? [];
      for (const [piece, repeated] of Map.groupBy(ofPage, (match) => findPiece(page, match))) {
        if (!piece || !hasSpans(spans, piece, repeated.length)) continue;
        for (const match of repeated) dropped.add(match);
      }
    }
  }
  return all.filter((match) => !dropped.has(match));
}

/** Places of the matches in one text, in order, by type, label and value. */
type SpanIndex = ReadonlyMap<string, readonly TextSpan[]>;

function indexSpans(found: readonly Match[], readValue: (match: Match) => string): SpanIndex {
  const byKey = Map.groupBy(found.filter(isReported), (match) =>
    // References of the source are decoded in the page.
    toKey(match, decodeEntities(readValue(match))),
  );
  const index = new Map<string, TextSpan[]>();
  for (const [key, matches] of byKey) {
    index.set(
      key,
      matches.map(spanOf).sort((one, other) => one.start - other.start),
    );
  }
  return index;
}

const readNothing = (): string => "";

const isReported = ({ reported }: Match): boolean => reported !== false;

/** Returns equal texts for matches of one value: white space in a row is one character in a page. */
const toKey = ({ type, label }: Match, text: string): string =>
  [type, label, text.replace(/\s+/g, " ")].join("\n");

const textOf = (match: Match): string => {
  const { start, end } = spanOf(match);
  return match.at?.segment.text.slice(start, end) ?? "";
};

/** Returns the complete match. Each line of a long one is compared by itself, because thousands may share it. */
function spanOf({ at }: Match): TextSpan {
  const { whole } = at ?? {};
  if (whole && whole.end - whole.start <= MAX_WHOLE_CHARACTERS) return whole;
  return at ?? { start: 0, end: 0 };
}
const MAX_WHOLE_CHARACTERS = 256;

/** Returns the piece that contains the match; undefined if it is in several or in none. */
function findPiece({ pieces }: ReadPage, match: Match): PagePiece | undefined {
  const { start, end } = spanOf(match);
  const piece = pieces[findFirst(pieces, (each) => each.end > start)];
  return piece && piece.start <= start && end <= piece.end ? piece : undefined;
}

/** Returns whether at least `count` of the sorted spans are in the piece, in the source. */
function hasSpans(spans: readonly TextSpan[], { from, to }: PagePiece, count: number): boolean {
  let left = count;
  for (let at = findFirst(spans, ({ start }) => start >= from); left > 0; at++) {
    const span = spans[at];
    if (span === undefined || span.start >= to) return false;
    if (span.end <= to) left--;
  }
  return true;
}

/** Returns the index of the first item that `test` accepts, as it does all after it. */
export function findFirst<T>(items: readonly T[], test: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (test(items[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}
