/** Joins letters that are written apart: `i g n o r e`, `i.g.n.o.r.e`. */
import type { Decoding } from "./decoding.ts";
import { isLetterIndex } from "./letter-index.ts";

/** Fewer characters apart are initials, formulas and lists. */
const MIN_LETTERS = 6;
/** Spaces between two spaced words. */
const MAX_GAP = 4;
/** Letters in a row: formulas and tables alternate with signs. */
const WORD = /[\p{L}\p{N}]{3}/u;

/** Returns the text with its spaced letters joined, or undefined if it has none. */
export function joinSpacedLetters(text: string): Decoding | undefined {
  if (!mayBeSpaced(text)) return undefined;
  const out = createSelection(text);
  for (let at = 0; at < text.length; at++) {
    if (!startsRun(text, at)) continue;
    const letters = readRun(text, at);
    if (letters.length < MIN_LETTERS) continue;
    const end = (letters.at(-1) ?? at) + 1;
    const joined = letters.map((letter) => text.charAt(letter)).join("");
    if (WORD.test(joined) && !isLetterIndex(joined)) {
      out.keepUntil(at);
      for (const [index, letter] of letters.entries()) {
        if (startsWord(text, letters, index)) out.keep(letter - 1);
        out.keep(letter);
      }
    }
    at = end - 1;
  }
  return out.build();
}

/** Selects characters in order. A builder of source maps would need an entry for each letter. */
function createSelection(text: string) {
  const offsets = new Uint32Array(text.length);
  let count = 0;
  let done = 0;
  const keep = (at: number) => {
    offsets[count++] = at;
    done = at + 1;
  };
  const keepUntil = (end: number) => {
    while (done < end) keep(done);
  };
  return {
    keep,
    /** Keeps all characters from the last one that was kept. */
    keepUntil,
    /** Returns undefined if all characters were kept. */
    build(): Decoding | undefined {
      keepUntil(text.length);
      if (count === text.length) return undefined;
      const units = new Uint16Array(count);
      for (let at = 0; at < count; at++) units[at] = text.charCodeAt(offsets[at] ?? 0);
      return {
        text: Buffer.from(units.buffer).toString("utf16le"),
        encoding: "spaced_letters",
        toOriginal: (start, end) => {
          const first = offsets[start] ?? text.length;
          return { start: first, end: end > start ? (offsets[end - 1] ?? 0) + 1 : first };
        },
      };
    },
  };
}

/** A run starts with a character and a separator, after white space or, if it is not spaced, after a sign. */
function startsRun(text: string, at: number): boolean {
  const separator = text.charCodeAt(at + 1);
  if (!SEPARATORS.has(separator) || text.charCodeAt(at) === SPACE) return false;
  if (at === 0) return true;
  return separator === SPACE ? isSpace(text, at - 1) : !isLetter(text, at - 1);
}

/** Returns the offsets of the letters of the run at `start`. */
function readRun(text: string, start: number): readonly number[] {
  const separator = text.charCodeAt(start + 1);
  const letters = [start];
  for (let at = start; ; ) {
    const next = separator === SPACE ? -1 : findPunctuated(text, at, separator);
    at = next < 0 ? findSpaced(text, at, separator) : next;
    if (at < 0) break;
    letters.push(at);
  }
  // The first letter of an ordinary word.
  while (letters.length > 1 && isLetter(text, (letters.at(-1) ?? 0) + 1)) letters.pop();
  return letters;
}

/** Returns the offset of the letter after the separator that follows `at`, or -1. */
const findPunctuated = (text: string, at: number, separator: number) =>
  text.charCodeAt(at + 1) === separator && at + 2 < text.length && !isSpace(text, at + 2)
    ? at + 2
    : -1;

/** Returns the offset of the letter after the spaces that follow `at`, or -1. */
function findSpaced(text: string, at: number, separator: number): number {
  let next = at + 1;
  while (text.charCodeAt(next) === SPACE) next++;
  if (next === at + 1 || next > at + 1 + MAX_GAP || next >= text.length) return -1;
  const isRun =
    separator === SPACE
      ? !isSpace(text, next) && (next + 1 === text.length || isSpace(text, next + 1))
      : findPunctuated(text, next, separator) >= 0;
  return isRun ? next : -1;
}

/** Detects the first letter of a word: after a wider gap than the letter before it. */
function startsWord(text: string, letters: readonly number[], index: number): boolean {
  const [first = 0] = letters;
  const gap = (letters[index] ?? 0) - (letters[index - 1] ?? 0) - 1;
  if (index === 0) return false;
  return gap > 1 || text.charCodeAt((letters[index] ?? 0) - 1) !== text.charCodeAt(first + 1);
}

/**
 * Checks for a separator at three alternate offsets. Looks at every sixth offset only: the shortest run, of eleven
 * characters, contains one where it sees all three.
 */
function mayBeSpaced(text: string): boolean {
  for (let at = 2; at + 3 < text.length; at += 6) {
    if (isAlternating(text, at) || isAlternating(text, at + 1)) return true;
  }
  return false;
}

function isAlternating(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return (
    text.charCodeAt(at + 2) === unit &&
    text.charCodeAt(at - 2) === unit &&
    text.charCodeAt(at + 1) !== unit &&
    SEPARATORS.has(unit)
  );
}

const SPACE = 0x20;
const SEPARATORS = new Set(Array.from(" .*_|~-", (sign) => sign.charCodeAt(0)));

const isSpace = (text: string, at: number) => /\s/.test(text.charAt(at));
const isLetter = (text: string, at: number) => /[^\W_]/.test(text.charAt(at));
