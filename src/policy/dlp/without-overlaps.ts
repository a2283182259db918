/** Which matches stay where several claim the same characters: the longest, then the surest, then the first. */
import type { Match } from "../detector.ts";

export type Placed = Match & { at: NonNullable<Match["at"]> };

/** Of one segment, given back in the order of its text. */
export function withoutOverlaps(matches: readonly Placed[]): Placed[] {
  const [first] = matches;
  if (!first || matches.length === 1) return [...matches];
  const taken = new Uint8Array(first.at.segment.text.length);
  return matches
    .toSorted(byClaim)
    .filter(({ at: { start, end } }) => {
      // Those before it are at least as long, so one that overlaps covers its first or its last character.
      if (taken[start] || taken[end - 1]) return false;
      taken.fill(1, start, end);
      return true;
    })
    .sort((one, other) => one.at.start - other.at.start);
}

const byClaim = (one: Placed, other: Placed) =>
  other.at.end - other.at.start - (one.at.end - one.at.start) ||
  other.confidence - one.confidence ||
  one.at.start - other.at.start;
