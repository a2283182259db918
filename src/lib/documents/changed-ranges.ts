/** Finds what readers of a page show in another form than its source contains it. */
import type { SourceRange } from "./walk-markup.ts";

/** Text between two tags, or a value, with its location in the source. */
export interface Piece extends SourceRange {
  text: string;
  /** Its white space is shown as it is. */
  keepsSpace?: boolean;
}

/**
 * Returns the ranges of numbers that white space parts, and the ends of a piece that `isParted` by tags: what may belong to
 * a value, up to a space where there is one.
 */
export function findChangedRanges(source: string, piece: Piece, isParted: boolean): SourceRange[] {
  const { text, from, to } = piece;
  const values = piece.keepsSpace ? [] : findWrappedValues(source, piece);
  if (!isParted) return mergeRanges(values);
  const start = text.slice(0, END_CHARACTERS).replace(/\S{0,100}$/, "");
  const end = text.slice(-END_CHARACTERS).replace(/^\S{0,100}/, "");
  const ends = [
    { from, to: skipText(source, from, start.length) },
    { from: skipText(source, to, -end.length), to },
  ];
  return mergeRanges([...ends, ...values].sort((one, other) => one.from - other.from));
}
const END_CHARACTERS = 500;
/** The ends of a shorter piece are all of it. */
export const MAX_WHOLE_CHARACTERS = 2 * END_CHARACTERS;

/** Returns the offset that is `count` characters after, or before, `at`. White space in a row is one character. */
function skipText(source: string, at: number, count: number): number {
  const step = Math.sign(count);
  const isSpace = (offset: number) => /\s/.test(source.charAt(step > 0 ? offset : offset - 1));
  let offset = at;
  for (let left = Math.abs(count); left > 0; left--) {
    if (isSpace(offset)) while (isSpace(offset + step)) offset += step;
    offset += step;
  }
  return offset;
}

/** Returns the ranges around values such as cards, accounts and phone numbers: browsers show white space in a row as one space. */
function findWrappedValues(source: string, { from, to }: SourceRange): SourceRange[] {
  const text = source.slice(from, to);
  const ranges: SourceRange[] = [];
  for (const { 0: run, index } of text.matchAll(DIGITS)) {
    if (!isWrappedValue(run)) continue;
    const end = index + run.length;
    const [before, after] = [findStart(text, index), findEnd(text, end)];
    ranges.push({ from: from + before, to: from + after });
  }
  return ranges;
}

/**
 * Digits of all scripts, as the folding of the guard reads them: with full-width letters and signs, and with invisible
 * characters and marks between them. Linear: one class, and an end within six characters of the beginning is the only one
 * that is tried again.
 */
const DIGITS =
  /\p{Nd}[\p{Nd}A-Z()+./\s\uff21-\uff3a\uff08\uff09\uff0b\uff0d-\uff0f\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\p{Mn}-]{5,}\p{Nd}/gu;
const DIGIT = /\p{Nd}/gu;

/** Longer runs are tables, in which each line has numbers of its own. */
const MAX_GAPS = 8;
/** Phone numbers have seven digits or more. */
const MIN_DIGITS = 7;
/** White space that browsers show as one space, and that is not one. */
const GAP = /[^\S ]\s*| \s+/g;

function isWrappedValue(run: string): boolean {
  const gaps = run.match(GAP)?.length ?? 0;
  return gaps > 0 && gaps <= MAX_GAPS && (run.match(DIGIT)?.length ?? 0) >= MIN_DIGITS;
}

/** Characters before and after a value, in which its clue may be. */
const MAX_AROUND = 100;

/** Returns where the text around a value begins: after a space beside a small letter, so that it cuts no other value. */
function findStart(text: string, at: number): number {
  if (at <= MAX_AROUND) return 0;
  const before = text.slice(at - MAX_AROUND, at);
  const space = before.search(SPACE_IN_PROSE);
  return at - (space < 0 ? (/\S*$/.exec(before)?.[0].length ?? 0) : before.length - space);
}

function findEnd(text: string, at: number): number {
  if (text.length - at <= MAX_AROUND) return text.length;
  const after = text.slice(at, at + MAX_AROUND);
  const spaces = [...after.matchAll(SPACE_IN_PROSE)];
  return at + (spaces.at(-1)?.index ?? /^\S*/.exec(after)?.[0].length ?? 0);
}

const SPACE_IN_PROSE = /(?<=[\p{Ll}\p{Lo}])\s|\s(?=[\p{Ll}\p{Lo}])/gu;

/** Expects the ranges in the order of their beginnings. */
function mergeRanges(ranges: readonly SourceRange[]): SourceRange[] {
  const merged: SourceRange[] = [];
  for (const range of ranges) {
    const last = merged.at(-1);
    if (last && range.from <= last.to) last.to = Math.max(last.to, range.to);
    else merged.push({ ...range });
  }
  return merged;
}
