/** Finds invisible and look-alike characters where no script needs them. */
import { isAscii } from "../../lib/text/fold-name.ts";
import { isBidiControl, isInvisible, isTag, isVariationSelector } from "../views/is-invisible.ts";
import { findLookalikeWords } from "./find-lookalike-words.ts";

export const HIDDEN_KINDS = [
  "zero_width",
  "bidi_override",
  "tag_characters",
  "variation_selectors",
  "private_use",
  "lookalike_word",
] as const;
export type HiddenKind = (typeof HIDDEN_KINDS)[number];

export interface HiddenText {
  kind: HiddenKind;
  confidence: number;
  start: number;
  end: number;
  /** Text that a reader sees: nothing, or the word in plain letters. */
  visibleText: string;
}

/** Returns hidden text in no particular order. Use it with `computeOnce(segment, findHiddenText)`. */
export function findHiddenText(text: string): readonly HiddenText[] {
  if (isAscii(text)) return [];
  const found: HiddenText[] = findLookalikeWords(text).map((word) => ({
    kind: "lookalike_word",
    confidence: 0.8,
    ...word,
  }));
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) < 0xad) continue;
    const run = readRun(text, at);
    if (run === undefined) continue;
    const verdict = classifyRun(text, run);
    if (verdict) found.push({ ...verdict, start: run.start, end: run.end, visibleText: "" });
    at = run.end - 1;
  }
  return found;
}

/** Returns the first direction control at the end of a line that a later one may pair with, or the length of the text. */
export function findOpenDirection(text: string): number {
  if (isAscii(text)) return text.length;
  let open = text.length;
  for (let at = text.length - 1; at >= Math.max(0, text.length - BIDI_RADIUS); at--) {
    const unit = text.charCodeAt(at);
    if (unit === 0x0a) break;
    if (isInvisible(unit) || isBidiControl(unit)) open = at;
  }
  return open;
}

interface CharacterRun {
  start: number;
  end: number;
  points: number[];
}

/** Reads a run of invisible characters, or of private-use characters. */
function readRun(text: string, start: number): CharacterRun | undefined {
  const points: number[] = [];
  const first = text.codePointAt(start) ?? 0;
  const belongs = isPrivateUse(first) ? isPrivateUse : isInvisible;
  let end = start;
  for (let point = first; belongs(point); point = text.codePointAt(end) ?? 0) {
    points.push(point);
    end += point > 0xffff ? 2 : 1;
  }
  return points.length === 0 ? undefined : { start, end, points };
}

type RunVerdict = Pick<HiddenText, "kind" | "confidence"> | undefined;

function classifyRun(text: string, run: CharacterRun): RunVerdict {
  const { points } = run;
  const [first = 0] = points;
  if (isPrivateUse(first)) {
    // Icon fonts use one or two.
    return points.length >= 4 ? { kind: "private_use", confidence: 0.7 } : undefined;
  }
  if (points.some(isTag)) return classifyTags(text, run);
  if (points.some(isBidiControl)) return classifyBidi(text, run);
  if (points.every(isVariationSelector)) return classifySelectors(text, run);
  return classifyZeroWidth(text, run);
}

/** Accepts flags of regions: a black flag, the code in tags, and CANCEL TAG. */
function classifyTags(text: string, { start, points }: CharacterRun): RunVerdict {
  const flag = text.slice(start - 2, start) === "\u{1f3f4}" && points.at(-1) === 0xe007f;
  return flag && points.length <= 8 ? undefined : { kind: "tag_characters", confidence: 0.95 };
}

/** Reports overrides, which display text in another order (Trojan Source). Accepts paired isolates. */
function classifyBidi(text: string, { start, end, points }: CharacterRun): RunVerdict {
  const opens = points.some((point) => !isClosing(point));
  const partner = opens ? findBidiAfter(text, end) : findBidiBefore(text, start);
  if (points.some(isOverride) || isOverride(partner)) {
    return { kind: "bidi_override", confidence: 0.9 };
  }
  return partner > 0 ? undefined : { kind: "bidi_override", confidence: 0.7 };
}

const isClosing = (point: number) => point === 0x202c || point === 0x2069;
const isOverride = (point: number) => point === 0x202d || point === 0x202e;

/** Returns the control that opens the direction ending at `at`, on the same line and nearby, or 0. */
function findBidiBefore(text: string, at: number): number {
  for (let before = at - 1; before >= Math.max(0, at - BIDI_RADIUS); before--) {
    const unit = text.charCodeAt(before);
    if (unit === 0x0a) return 0;
    if (isBidiControl(unit) && !isClosing(unit)) return unit;
  }
  return 0;
}

function findBidiAfter(text: string, at: number): number {
  for (let after = at; after < Math.min(text.length, at + BIDI_RADIUS); after++) {
    const unit = text.charCodeAt(after);
    if (unit === 0x0a) return 0;
    if (isClosing(unit)) return unit;
  }
  return 0;
}

/** Distance within which a control is paired with another one. */
export const BIDI_RADIUS = 300;

/** Accepts a single selector after an emoji or ideograph. A sequence can encode bytes. */
function classifySelectors(text: string, { start, points }: CharacterRun): RunVerdict {
  if (points.length >= 3) return { kind: "variation_selectors", confidence: 0.9 };
  if (points.length === 2) return { kind: "variation_selectors", confidence: 0.6 };
  const afterLetter = /[a-z]/i.test(text.charAt(start - 1));
  return afterLetter ? { kind: "variation_selectors", confidence: 0.7 } : undefined;
}

/** Accepts joiners of Arabic and Indic scripts and of emoji, and soft hyphens. */
function classifyZeroWidth(text: string, { start, end, points }: CharacterRun): RunVerdict {
  if (points.length >= 4) return { kind: "zero_width", confidence: 0.9 };
  if (start === 0 && points.length === 1 && points[0] === 0xfeff) return undefined;
  const insideWord = isLatin(text.charCodeAt(start - 1)) && isLatin(text.charCodeAt(end));
  if (!insideWord)
    return points.length >= 2 && !points.some(isJoiner) ? UNUSUAL_ZERO_WIDTH : undefined;
  return points.every((point) => point === 0xad)
    ? undefined
    : { kind: "zero_width", confidence: 0.75 };
}

const UNUSUAL_ZERO_WIDTH = { kind: "zero_width", confidence: 0.5 } as const;

const isJoiner = (point: number) =>
  point === 0x200c || point === 0x200d || isVariationSelector(point);

const isLatin = (unit: number) =>
  ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a) || (unit >= 0xc0 && unit < 0x250);

const isPrivateUse = (point: number) =>
  (point >= 0xe000 && point <= 0xf8ff) || (point >= 0xf0000 && point <= 0x10fffd);
