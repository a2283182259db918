/** Masks personal data and secrets in a text before Activity stores it. */
import type { Match } from "../detector.ts";
import { DEFAULT_SELECTION, findEntityMatches } from "../dlp/find-entity-matches.ts";
import { resolveOverlaps } from "../dlp/resolve-overlaps.ts";
import type { Segment } from "../segment.ts";
import { applyMasks } from "./apply-masks.ts";

/** Returns a code of masked text, by which an approver distinguishes values. */
export type EncodeMasked = (original: string) => string;

/**
 * Masks the default entities and `hidden`, the matches that the policy masks, such as custom rules. With `encode`, the
 * code of the original follows each mask.
 */
export function maskForStorage(
  segment: Segment,
  hidden: readonly Match[],
  encode?: EncodeMasked,
): string {
  const matches = findEntityMatches(segment, DEFAULT_SELECTION);
  if (matches.length === 0 && hidden.length === 0) return segment.text;
  const masked = [...resolveOverlaps(matches), ...hidden].map(withStoredMask);
  const [change] = applyMasks(masked, (mask, original) =>
    encode ? `${mask}#${encode(original)}` : mask,
  );
  return change?.text ?? segment.text;
}

/**
 * Replaces a pseudonym, which could be restored, by its kind. Each mask is passed as a pseudonym, because applyMasks
 * calls its callback with the original only for those.
 */
function withStoredMask(match: Match): Match {
  const { mask } = match;
  if (!mask) return match;
  return {
    ...match,
    mask: { pseudonym: "text" in mask ? mask.text : `[MASKED_${mask.pseudonym}]` },
  };
}
