/** Replaces the passages around matches by notices: a false alarm costs a paragraph, not the conversation. */
import { toReference } from "../contract/guard/to-reference.ts";
import type { Match } from "./detector.ts";
import { findPassage, hashPassage, locateInSource } from "./passage.ts";
import type { Matches } from "./policy-run.ts";
import type { TextSpan } from "./views/source-map.ts";

/**
 * Separates the matches whose passage is replaced from those that are only reported: a file that is not text cannot be
 * written back, and names of members are not replaced.
 */
export function splitByWithheld(found: Matches): [Matches, Matches] {
  const withheld: Match[] = [];
  const fixed: Match[] = [];
  for (const match of found) {
    const at = match.at && locateInSource(match.at);
    const isFixed = !at || at.segment.source === "attachment" || at.segment.isName;
    const isReplaced = !isFixed && findPassage(at.segment, at).parts.length > 0;
    if (isReplaced) withheld.push({ ...match, at });
    else fixed.push(match);
  }
  return [withheld, fixed];
}

/**
 * Returns one match for each part of a passage, with the notice as its mask. A match within the passage of one before it
 * shares its notice.
 */
export function maskPassages(matches: Matches): Match[] {
  const located = matches.flatMap(({ at, ...match }) => (at ? [{ ...match, at }] : []));
  return [...Map.groupBy(located, ({ at }) => at.segment)].flatMap(([segment, list]) => {
    let last: TextSpan = { start: 0, end: 0 };
    return list
      .sort((one, other) => one.at.start - other.at.start)
      .flatMap(({ at, ...match }): Match[] => {
        if (last.start <= at.start && at.end <= last.end) return [];
        const passage = findPassage(segment, at);
        last = passage;
        const reference = toReference(hashPassage(at));
        const text = `[withheld by policy: ${match.type}, ref ${reference}]`;
        return passage.parts.map((part) => ({
          ...match,
          at: { segment, ...part },
          mask: { text },
        }));
      });
  });
}
