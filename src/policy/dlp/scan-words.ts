/** One pass over a text: where values may start, and which words nearby say what they are. */
import { addToWordHash, CLUE_WORDS, type ClueWord, UNSPACED_WORDS } from "./clue-words.ts";

export interface Clue extends ClueWord {
  start: number;
  end: number;
}

export interface WordScan {
  /** Starts of words that hold a digit, or otherwise may open a value, in order. */
  starts: readonly number[];
  /** The ends of the same words. */
  ends: readonly number[];
  /** In order. */
  clues: readonly Clue[];
}

const OTHER = 0;
const DIGIT = 1;
const LETTER = 2;
const KINDS = Uint8Array.from({ length: 128 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  if (/[0-9]/.test(character)) return DIGIT;
  return /[A-Za-z]/.test(character) ? LETTER : OTHER;
});

const LOW_BITS = 0xfff;
/** Most words are told from clues by the low bits of their hash, which is quicker than a look-up. */
const MAY_BE_CLUE = new Uint8Array(LOW_BITS + 1);
for (const hash of CLUE_WORDS.keys()) MAY_BE_CLUE[hash & LOW_BITS] = 1;

const UNSPACED = new RegExp([...UNSPACED_WORDS.keys()].join("|"), "g");

export function scanWords(text: string): WordScan {
  const starts: number[] = [];
  const ends: number[] = [];
  const clues: Clue[] = [];
  let unspaced = false;

  // A loop for each word inside the loop for all: it runs twice as fast as one that keeps track of both.
  for (let at = 0; at < text.length; at++) {
    const start = at;
    let hash = 0;
    let digits = false;
    let unit = 0;
    for (; at < text.length; at++) {
      unit = text.charCodeAt(at);
      const kind = unit < 128 ? (KINDS[unit] ?? OTHER) : kindBeyondAscii(unit);
      if (kind === OTHER) break;
      hash = addToWordHash(hash, unit);
      if (kind === DIGIT) digits = true;
    }
    if (unit >= FIRST_UNSPACED) unspaced = true;
    if (start === at) continue;

    if (MAY_BE_CLUE[hash & LOW_BITS] === 1) addClues(clues, text, hash, { start, end: at });
    if (digits || opensValue(text, start, at)) {
      starts.push(start);
      ends.push(at);
    }
  }
  if (!unspaced) return { starts, ends, clues };

  for (const { 0: word, index } of text.matchAll(UNSPACED)) {
    const clue = UNSPACED_WORDS.get(word);
    if (clue) clues.push({ ...clue, start: index, end: index + word.length });
  }
  return { starts, ends, clues: clues.toSorted((one, other) => one.start - other.start) };
}

/** Where the scripts begin that the comment below is about. */
const FIRST_UNSPACED = 0x3040;

/** Chinese, Japanese and Korean do not part words from numbers, so their characters end a word. */
const kindBeyondAscii = (unit: number) =>
  unit < 0xaa || (unit >= 0x2000 && unit < 0x2c00) || unit >= 0x2e80 ? OTHER : LETTER;

function addClues(
  clues: Clue[],
  text: string,
  hash: number,
  { start, end }: { start: number; end: number },
): void {
  const written = text.slice(start, end);
  const word = written.toLowerCase();
  for (const clue of CLUE_WORDS.get(hash) ?? []) {
    if (clue.word !== word || (clue.upperCaseOnly && written !== word.toUpperCase())) continue;
    const fits = clue.after?.test(text.slice(Math.max(0, start - 16), start).toLowerCase()) ?? true;
    if (fits) clues.push({ ...clue, start, end });
  }
}

const DASH = 0x2d;
const DOT = 0x2e;
const COLON = 0x3a;
const HEX = /[0-9A-Fa-f]{1,8}[:-]/y;
const LETTERS_THEN_DIGIT = /[A-Za-z]{1,4}[-.]\d/y;

/** A word without a digit that a value may still start with: a bank's code, `fe80:`, `B-12345678`. */
function opensValue(text: string, start: number, end: number): boolean {
  const length = end - start;
  // A look past the end is worth avoiding: it makes the engine give up its fast code, again and again.
  const next = end < text.length ? text.charCodeAt(end) : 0;
  if (length < 9 && (next === DASH || next === DOT || next === COLON)) {
    if (matchesAt(HEX, text, start) || matchesAt(LETTERS_THEN_DIGIT, text, start)) return true;
  }
  const isCapital = text.charCodeAt(start) < 97;
  return isCapital && (length === 8 || length === 11) && /^[A-Z]+$/.test(text.slice(start, end));
}

function matchesAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
