/** Who gets the characters that several matches claim: the longest, then the surest, then the first. */
import type { Match } from "../detector.ts";

export type LocatedMatch = Match & { at: NonNullable<Match["at"]> };

/** Of one segment, given back in the order of its text. Of the others stays what sticks out: it was found too. */
export function resolveOverlaps(matches: readonly LocatedMatch[]): LocatedMatch[] {
  const [first] = matches;
  if (!first || matches.length === 1) return [...matches];
  const taken = new Uint8Array(first.at.segment.text.length);
  return matches
    .toSorted(byPrecedence)
    .flatMap((match) => {
      let { start, end } = match.at;
      // Those before it are at least as long, so one that overlaps covers its first or its last character.
      while (start < end && taken[start]) start++;
      while (start < end && taken[end - 1]) end--;
      taken.fill(1, start, end);
      return start === end ? [] : [{ ...match, at: { ...match.at, start, end } }];
    })
    .sort((one, other) => one.at.start - other.at.start);
}

const byPrecedence = (one: LocatedMatch, other: LocatedMatch) =>
  other.at.end - other.at.start - (one.at.end - one.at.start) ||
  other.confidence - one.confidence ||
  one.at.start - other.at.start;
