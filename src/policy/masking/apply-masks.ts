/** Replaces matches by their masks and leaves all other text unchanged. */
import { findNumbers } from "../../lib/json/source-text.ts";
import type { Match } from "../detector.ts";
import type { Segment } from "../segment.ts";

export interface TextChange {
  segment: Segment;
  /** The complete new text. */
  text: string;
}

/** Returns the pseudonym of text in this session. */
export type CreatePseudonym = (label: string, original: string) => string;

export function applyMasks(
  matches: readonly Match[],
  createPseudonym: CreatePseudonym,
): TextChange[] {
  if (matches.length === 0) return [];
  const bySegment = new Map<Segment, MaskedSpan[]>();
  for (const { at, mask } of matches) {
    if (!at || !mask) continue;
    const { segment, start, end } = at;
    const list = bySegment.get(segment);
    if (list) list.push({ start, end, mask });
    else bySegment.set(segment, [{ start, end, mask }]);
  }
  return [...bySegment].map(([segment, list]) => ({
    segment,
    text: maskSpans(segment.text, list, isJsonText(segment.text), createPseudonym),
  }));
}

export interface MaskedSpan {
  start: number;
  end: number;
  mask: NonNullable<Match["mask"]>;
  /** True if the span is a complete number of a JSON text. */
  isNumber?: boolean;
}

/** Replaces spans. Of two that overlap, the later one masks only the part after the earlier one. */
export function maskSpans(
  text: string,
  spans: MaskedSpan[],
  isJson: boolean,
  createPseudonym: CreatePseudonym,
): string {
  let result = "";
  let from = 0;
  spans.sort((one, other) => one.start - other.start);
  for (const { start, end, mask, isNumber } of isJson ? widenToNumbers(text, spans) : spans) {
    if (end <= from) continue;
    const begin = Math.max(start, from);
    result += text.slice(from, begin);
    const replacement =
      "text" in mask ? mask.text : createPseudonym(mask.pseudonym, text.slice(begin, end));
    result += isJson ? escapeForJson(replacement, isNumber) : replacement;
    from = end;
  }
  return result + text.slice(from);
}

/** Returns whether text is a JSON document, in which masks are escaped. */
export function isJsonText(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Widens spans inside a JSON number to the whole number, which is replaced by a string: the text stays valid JSON. */
function widenToNumbers(text: string, spans: readonly MaskedSpan[]): MaskedSpan[] {
  const numbers = findNumbers(text);
  let next = 0;
  return spans.map((one) => {
    while ((numbers[next]?.end ?? Number.POSITIVE_INFINITY) <= one.start) next++;
    const number = numbers[next];
    const isNumber = number && number.start <= one.start && one.end <= number.end;
    return isNumber ? { ...one, ...number, isNumber } : one;
  });
}

function escapeForJson(mask: string, isNumber = false): string {
  const quoted = JSON.stringify(mask);
  return isNumber ? quoted : quoted.slice(1, -1);
}
