/** Replaces the passages around matches by notices: a false alarm costs a paragraph, not the conversation. */
import { toReference } from "../contract/guard/to-reference.ts";
import type { Match } from "./detector.ts";
import { findPassage, hashPassage, locateInSource } from "./passage.ts";
import type { Matches } from "./policy-run.ts";

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
    const isReplaced = !isFixed && findPassage(at.segment.text, at).parts.length > 0;
    if (isReplaced) withheld.push({ ...match, at });
    else fixed.push(match);
  }
  return [withheld, fixed];
}

/** Returns one match for each part of a passage, with the notice as its mask. */
export function maskPassage({ at, ...match }: Match): Match[] {
  if (!at) return [];
  const { segment } = at;
  const reference = toReference(hashPassage(at));
  const text = `[withheld by policy: ${match.type}, ref ${reference}]`;
  const { parts } = findPassage(segment.text, at);
  return parts.map((part) => ({ ...match, at: { segment, ...part }, mask: { text } }));
}
