/** Resolves overlapping matches: the longest wins, then the one of highest confidence, then the first. */
import type { Match } from "../detector.ts";
import type { TextSpan } from "../views/source-map.ts";

export type LocatedMatch = Match & { at: NonNullable<Match["at"]> };

/** Takes the matches of one segment and returns them in text order. A losing match keeps its part outside the winner. */
export function resolveOverlaps(matches: readonly LocatedMatch[]): LocatedMatch[] {
  const [first] = matches;
  if (!first || matches.length === 1) return [...matches];
  const taken = new Uint8Array(first.at.segment.text.length);
  return matches
    .toSorted(byPrecedence)
    .flatMap((match) => {
      let { start, end } = match.at;
      // Earlier matches are at least as long, so an overlapping one covers the first or last character.
      while (start < end && taken[start]) start++;
      while (start < end && taken[end - 1]) end--;
      taken.fill(1, start, end);
      if (start === end) return [];
      const isComplete = start === match.at.start && end === match.at.end;
      // Millions of matches, if copied, would take gigabytes.
      if (isComplete) return match;
      const whole = match.at.whole ?? { start: match.at.start, end: match.at.end };
      return { ...match, at: { ...match.at, start, end, whole } };
    })
    .sort((one, other) => one.at.start - other.at.start);
}

/** Returns the complete spans of matches, of which some are one line. */
export const toSpans = (matches: readonly LocatedMatch[]): TextSpan[] =>
  matches.map(({ at }) => at.whole ?? at);

const byPrecedence = (one: LocatedMatch, other: LocatedMatch) =>
  other.at.end - other.at.start - (one.at.end - one.at.start) ||
  other.confidence - one.confidence ||
  one.at.start - other.at.start;
