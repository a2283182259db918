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
  const bySegment = new Map<Segment, MaskedMatch[]>();
  for (const match of matches) {
    if (!isMasked(match)) continue;
    const list = bySegment.get(match.at.segment);
    if (list) list.push(match);
    else bySegment.set(match.at.segment, [match]);
  }
  return [...bySegment].map(([segment, list]) => {
    list.sort((one, other) => one.at.start - other.at.start);
    const isJson = isJsonText(segment.text);
    return { segment, text: replaceSpans(segment.text, toSpans(list), isJson, createPseudonym) };
  });
}

type MaskedMatch = Match & Required<Pick<Match, "at" | "mask">>;
const isMasked = (match: Match): match is MaskedMatch =>
  match.at !== undefined && match.mask !== undefined;

/** Text may have millions of matches, so their spans are not kept. */
function* toSpans(matches: readonly MaskedMatch[]): Generator<MaskedSpan> {
  for (const { at, mask } of matches) yield { start: at.start, end: at.end, mask };
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
  spans.sort((one, other) => one.start - other.start);
  return replaceSpans(text, spans, isJson, createPseudonym);
}

/** Takes spans in text order. */
function replaceSpans(
  text: string,
  spans: Iterable<MaskedSpan>,
  isJson: boolean,
  createPseudonym: CreatePseudonym,
): string {
  const joined: string[] = [];
  let pieces: string[] = [];
  let from = 0;
  for (const { start, end, mask, isNumber } of isJson ? widenToNumbers(text, [...spans]) : spans) {
    if (end <= from) continue;
    const begin = Math.max(start, from);
    const original = text.slice(begin, end);
    const replacement =
      "text" in mask
        ? mask.text
        : createPseudonym(mask.pseudonym, isJson ? unescapeJson(original) : original);
    pieces.push(
      text.slice(from, begin),
      isJson ? escapeForJson(replacement, isNumber) : replacement,
    );
    from = end;
    // Each piece takes sixty bytes.
    if (pieces.length < MAX_PIECES) continue;
    joined.push(pieces.join(""));
    pieces = [];
  }
  pieces.push(text.slice(from));
  return joined.join("") + pieces.join("");
}

const MAX_PIECES = 10_000;

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

/** Returns a part of a JSON text without its escapes; the part itself if it is not within one string. */
function unescapeJson(part: string): string {
  try {
    return JSON.parse(`"${part}"`);
  } catch {
    return part;
  }
}

function escapeForJson(mask: string, isNumber = false): string {
  const quoted = JSON.stringify(mask);
  return isNumber ? quoted : quoted.slice(1, -1);
}
