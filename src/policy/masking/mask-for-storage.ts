/** Masks personal data and secrets in a text before Activity stores it. */
import type { Match } from "../detector.ts";
import { DEFAULT_SELECTION, findEntityMatches } from "../dlp/find-entity-matches.ts";
import { resolveOverlaps } from "../dlp/resolve-overlaps.ts";
import type { Segment } from "../segment.ts";
import { isJsonText, type MaskedSpan, maskSpans } from "./apply-masks.ts";

/** Returns a code of masked text, by which an approver distinguishes values. */
export type EncodeMasked = (original: string) => string;

/**
 * Masks the default entities and `hidden`, the matches that the policy masks, such as custom rules. With `encode`, the
 * code of the original follows each mask. With `limit`, only that many characters of the result are masked for certain:
 * finding all matches of 15 MB takes seconds and 0.7 GB.
 */
export function maskForStorage(
  segment: Segment,
  hidden: readonly Match[],
  { encode, limit = segment.text.length }: { encode?: EncodeMasked | undefined; limit?: number },
): string {
  const { text } = segment;
  const isJson = isJsonText(text);
  // Masks may be shorter than the text.
  for (let cut = isJson ? text.length : 2 * limit + MIN_CHARACTERS; ; cut *= 4) {
    const read = cut + MAX_VALUE_CHARACTERS < text.length ? cutSegment(segment, cut) : segment;
    const matches = resolveOverlaps(findEntityMatches(read, DEFAULT_SELECTION, { before: cut }));
    const spans = [...matches, ...hidden].flatMap((match) => toStoredSpan(match, cut));
    // A span that begins before the cut may be the part of a value after it.
    const end = spans.reduce((last, span) => Math.max(last, span.end), cut);
    if (spans.length === 0) return text;
    const masked = maskSpans(text.slice(0, end), spans, isJson, (mask, original) =>
      encode ? `${mask}#${encode(original)}` : mask,
    );
    if (end >= text.length || masked.length >= limit) return masked;
  }
}

/** Short texts, such as numbers, are read completely. */
const MIN_CHARACTERS = 4096;
/** No value is longer, not even a private key. */
const MAX_VALUE_CHARACTERS = 64 * 1024;

/** Returns the segment with its text up to the values that begin before an offset. Frees the results of the complete text. */
function cutSegment(segment: Segment, offset: number): Segment {
  segment.memo = undefined;
  return { ...segment, text: segment.text.slice(0, offset + MAX_VALUE_CHARACTERS) };
}

/**
 * Replaces a pseudonym, which could be restored, by its kind. Each mask is passed as a pseudonym, because maskSpans
 * calls its callback with the original only for those.
 */
function toStoredSpan({ at, mask }: Match, cut: number): MaskedSpan[] {
  if (!at || !mask || at.start >= cut) return [];
  const pseudonym = "text" in mask ? mask.text : `[MASKED_${mask.pseudonym}]`;
  return [{ start: at.start, end: at.end, mask: { pseudonym } }];
}
