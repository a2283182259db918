/** What Transform writes: every match of every rule replaced, what stands between them untouched. */
import { findNumbers } from "../../lib/json/source-text.ts";
import type { Match } from "../detector.ts";
import type { Segment } from "../segment.ts";

export interface TextChange {
  segment: Segment;
  /** The whole text as it shall be. */
  text: string;
}

/** Gives the name that stands for a text in this session. */
export type CreatePseudonym = (label: string, original: string) => string;

export function applyMasks(matches: readonly Match[], pseudonym: CreatePseudonym): TextChange[] {
  const bySegment = new Map<Segment, MaskedSpan[]>();
  for (const { at, mask } of matches) {
    if (!at || !mask) continue;
    const list = bySegment.get(at.segment);
    if (list) list.push({ ...at, mask });
    else bySegment.set(at.segment, [{ ...at, mask }]);
  }
  return [...bySegment].map(([segment, list]) => ({
    segment,
    text: replaceSpans(segment.text, list, pseudonym),
  }));
}

interface MaskedSpan {
  start: number;
  end: number;
  mask: NonNullable<Match["mask"]>;
  /** The whole of a number in a text that is JSON. */
  isNumber?: boolean;
}

/** Where two overlap, the later one masks what sticks out of the earlier: nothing found is left. */
function replaceSpans(text: string, found: MaskedSpan[], pseudonym: CreatePseudonym): string {
  let written = "";
  let from = 0;
  const isJson = /^\s*[[{]/.test(text) && isJsonText(text);
  found.sort((one, other) => one.start - other.start);
  for (const { start, end, mask, isNumber } of isJson ? widenToNumbers(text, found) : found) {
    if (end <= from) continue;
    const begin = Math.max(start, from);
    written += text.slice(from, begin);
    const put = "text" in mask ? mask.text : pseudonym(mask.pseudonym, text.slice(begin, end));
    written += isJson ? escapeForJson(put, isNumber) : put;
    from = end;
  }
  return written + text.slice(from);
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whoever parses a tool's answer must still be able to: in the place of a number stands a string. */
function widenToNumbers(text: string, found: readonly MaskedSpan[]): MaskedSpan[] {
  const numbers = findNumbers(text);
  let next = 0;
  return found.map((one) => {
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
