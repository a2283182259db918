/** Masks personal data and secrets in a text before Activity stores it. */
import type { Match } from "../detector.ts";
import { DEFAULT_SELECTION, findEntityMatches } from "../dlp/find-entity-matches.ts";
import { resolveOverlaps } from "../dlp/resolve-overlaps.ts";
import type { Segment } from "../segment.ts";
import { applyMasks } from "./apply-masks.ts";

/** Masks the default entities and `hidden`, the matches that the policy masks, such as custom rules. */
export function maskForStorage(segment: Segment, hidden: readonly Match[]): string {
  const matches = findEntityMatches(segment, DEFAULT_SELECTION);
  if (matches.length === 0 && hidden.length === 0) return segment.text;
  const [change] = applyMasks([...resolveOverlaps(matches), ...hidden], toMask);
  return change?.text ?? segment.text;
}

/** Replaces a pseudonym, which could be restored, by its kind. */
const toMask = (label: string): string => `[MASKED_${label}]`;
