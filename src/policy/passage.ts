/**
 * Finds the passage around a match: what `withhold` replaces, and what an exception allows. It depends only on the text
 * and the match, so that the same text gives the same passage, and the same reference, in every turn of a conversation.
 *
 * A passage is the paragraph between two blank lines; of a longer one, the lines or sentences within 1,000 characters. In
 * JSON text it is within the string values that the match touches, so that the text stays JSON.
 */
import { findStringEnd, skipBlank } from "../lib/json/source-text.ts";
import type { CompiledRule } from "./compile-policy.ts";
import type { Match } from "./detector.ts";
import { findFirst } from "./drop-repeated.ts";
import { isJsonText } from "./masking/apply-masks.ts";
import { computeOnce, type Segment } from "./segment.ts";
import type { TextSpan } from "./views/source-map.ts";

export interface Passage extends TextSpan {
  /** Replaceable parts: the passage, or its parts in string values. Empty if the match is in no string value. */
  parts: readonly TextSpan[];
}

const MAX_CHARACTERS = 1000;

/** Coding agents number the lines of a file, so that its blank lines have a number: `     4→`, `00004| `, `4: `. */
export const BLANK_LINES = /(\r?\n(?:[ \t]*(?:\d{1,7}(?:[ \t]*[→|:]|\t)[ \t]*)?\r?\n)+)/g;

/** Expressions whose first group matches the end of a paragraph, and of a line or sentence. */
interface Boundaries {
  paragraph: RegExp;
  line: RegExp;
}
const PLAIN: Boundaries = {
  paragraph: BLANK_LINES,
  line: /(\r?\n|[.!?]["')\]]*\s+|[。！？।])/g,
};
/** In a string of JSON. The last alternative skips an escape, so that none is cut. */
const ESCAPED: Boundaries = {
  paragraph: /((?:\\r)?\\n(?:(?:[ \t]|\\t)*(?:\\r)?\\n)+)|\\./g,
  line: /((?:\\r)?\\n|[.!?](?:\\"|['")\]])*(?:[ \t]|\\[nrt])+|[。！？।])|\\./g,
};

/** Returns whether matches of a rule can be withheld, or allowed by the hash of their passages. */
export const hasPassages = ({ scores, action }: Pick<CompiledRule, "scores" | "action">): boolean =>
  scores || action === "withhold";

export function findPassage(segment: Segment, match: TextSpan): Passage {
  const { text } = segment;
  const strings = computeOnce(segment, listStringValues);
  if (!strings) {
    const passage = findWithin(text, match, { start: 0, end: text.length }, PLAIN);
    return { ...passage, parts: [passage] };
  }
  const values = findTouched(strings, match);
  const [first, last] = [values[0], values.at(-1)];
  if (!first || !last) return { ...match, parts: [] };
  const start = Math.max(match.start, first.start);
  const end = Math.min(match.end, last.end);
  const passage = findWithin(text, { start, end }, { start: first.start, end: last.end }, ESCAPED);
  const parts = values.map((value) => ({
    start: Math.max(value.start, passage.start),
    end: Math.min(value.end, passage.end),
  }));
  return { ...passage, parts };
}

/** Returns the SHA-256 of the passage around a match, in hexadecimal digits. */
export function hashPassage(at: NonNullable<Match["at"]>): string {
  const { segment, ...match } = locateInSource(at);
  const { start, end } = findPassage(segment, match);
  const last = computeOnce(segment, createPassageHash);
  if (start !== last.start || end !== last.end) {
    Object.assign(last, {
      start,
      end,
      hash: Bun.SHA256.hash(segment.text.slice(start, end), "hex"),
    });
  }
  return last.hash;
}

/** Keeps the last hash: thousands of matches of a segment may share a passage of several MiB. */
const createPassageHash = () => ({ start: 0, end: 0, hash: Bun.SHA256.hash("", "hex") });

/** Returns the place of a match in the source of its page, if the source contains it. Of an encoded page, it is the whole run. */
export function locateInSource(at: NonNullable<Match["at"]>): NonNullable<Match["at"]> {
  const { page } = at.segment;
  if (!page || page.isJson) return at;
  if (page.run) return { segment: page.source, start: page.run.start, end: page.run.end };
  const pieces = findTouched(page.pieces, at);
  const [first, last] = [pieces[0], pieces.at(-1)];
  return first && last ? { segment: page.source, start: first.from, end: last.to } : at;
}

/** Returns the strings of JSON between their quotes, except for names of members. Returns null for other text. */
function listStringValues(text: string): readonly TextSpan[] | null {
  if (!isJsonText(text)) return null;
  const found: TextSpan[] = [];
  for (let at = text.indexOf('"'); at >= 0; ) {
    const next = findStringEnd(text, at);
    const isName = text.charAt(skipBlank(text, next)) === ":";
    if (next - at > 2 && !isName) found.push({ start: at + 1, end: next - 1 });
    at = text.indexOf('"', next);
  }
  return found;
}

/** Returns those of the spans, which are in order, that another span touches. */
const findTouched = <Span extends TextSpan>(spans: readonly Span[], { start, end }: TextSpan) =>
  spans.slice(
    findFirst(spans, (span) => span.end > start),
    findFirst(spans, (span) => span.start >= end),
  );

function findWithin(
  text: string,
  match: TextSpan,
  limits: TextSpan,
  { paragraph, line }: Boundaries,
): TextSpan {
  const before = { start: Math.max(limits.start, match.start - MAX_CHARACTERS), end: match.start };
  const after = { start: match.end, end: Math.min(limits.end, match.end + MAX_CHARACTERS) };
  const start = findBoundaries(text, before, paragraph).at(-1)?.end ?? before.start;
  const end = findBoundaries(text, after, paragraph)[0]?.start ?? after.end;
  if (end - start <= MAX_CHARACTERS) return { start, end };
  const room = Math.max(0, (MAX_CHARACTERS - match.end + match.start) / 2);
  const from = Math.max(start, Math.ceil(match.start - room));
  const to = Math.min(end, Math.floor(match.end + room));
  // Without a boundary, a string of JSON is taken as a whole, because its escapes must not be cut.
  const outer = line === ESCAPED.line ? limits : match;
  const first = findBoundaries(text, { start: from, end: match.start }, line)[0]?.end;
  const last = findBoundaries(text, { start: match.end, end: to }, line).at(-1)?.start;
  return {
    start: from === start ? start : (first ?? outer.start),
    end: to === end ? end : (last ?? outer.end),
  };
}

/** Returns the boundaries in a part of the text, in order. */
function findBoundaries(text: string, { start, end }: TextSpan, boundary: RegExp): TextSpan[] {
  let from = start;
  // Begins after an escape.
  while (text.charAt(from - 1) === "\\") from++;
  return Array.from(text.slice(from, end).matchAll(boundary)).flatMap(({ 1: found, index }) =>
    found === undefined ? [] : { start: from + index, end: from + index + found.length },
  );
}
