/** Scans text once for the starts of values and for clue words. */
import {
  addToWordHash,
  CLUE_WORDS,
  type ClueWord,
  hashWord,
  UNSPACED_WORDS,
} from "./clue-words.ts";

export interface Clue extends ClueWord {
  start: number;
  end: number;
}

export interface WordScan {
  /** Starts of words that contain a digit or may otherwise start a value, in text order. */
  starts: readonly number[];
  /** Ends of the same words. */
  ends: readonly number[];
  /** In text order. */
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

const LOW_BITS = 0xffff;
/** Filter by the low bits of the hash, which is faster than a map lookup. */
const MAY_BE_CLUE = new Uint8Array(LOW_BITS + 1);
for (const hash of CLUE_WORDS.keys()) MAY_BE_CLUE[hash & LOW_BITS] = 1;

const UNSPACED = new RegExp([...UNSPACED_WORDS.keys()].join("|"), "g");

export function scanWords(text: string): WordScan {
  const starts: number[] = [];
  const ends: number[] = [];
  const clues: Clue[] = [];
  let unspaced = false;

  // Nested loops: twice as fast as one loop that tracks word boundaries.
  for (let at = 0; at < text.length; at++) {
    const start = at;
    let hash = 0;
    let digits = false;
    let hasInnerCapital = false;
    let unit = 0;
    for (; at < text.length; at++) {
      unit = text.charCodeAt(at);
      const kind = unit < 128 ? (KINDS[unit] ?? OTHER) : kindBeyondAscii(unit);
      if (kind === OTHER) break;
      hash = addToWordHash(hash, unit);
      if (kind === DIGIT) digits = true;
      else if (unit <= CAPITAL_Z && at > start) hasInnerCapital = true;
    }
    if (unit >= FIRST_UNSPACED) unspaced = true;
    if (start === at) continue;

    const isMonth =
      MAY_BE_CLUE[hash & LOW_BITS] === 1 && addClues(clues, text, hash, { start, end: at });
    if (hasInnerCapital) addCluesInName(clues, text, start, at);
    if (digits || isMonth || opensValue(text, start, at)) {
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

/** First code unit of scripts without spaces between words. */
const FIRST_UNSPACED = 0x3040;

/** Chinese, Japanese and Korean do not separate words from numbers, so their characters end a word. */
const kindBeyondAscii = (unit: number) =>
  unit < 0xaa || (unit >= 0x2000 && unit < 0x2c00) || unit >= 0x2e80 ? OTHER : LETTER;

/** Adds the clues that the word is. Returns whether it is the name of a month. */
function addClues(
  clues: Clue[],
  text: string,
  hash: number,
  { start, end }: { start: number; end: number },
): boolean {
  let isMonth = false;
  const original = text.slice(start, end);
  const word = original.toLowerCase();
  for (const clue of CLUE_WORDS.get(hash) ?? []) {
    if (clue.word !== word) continue;
    if (clue.isMonth) {
      isMonth = true;
      continue;
    }
    if (clue.upperCaseOnly && original !== word.toUpperCase() && !isCell(text, start, end))
      continue;
    const fits = clue.after?.test(text.slice(Math.max(0, start - 16), start).toLowerCase()) ?? true;
    if (fits) clues.push({ ...clue, start, end });
  }
  return isMonth;
}

/** Adds the clues in a name such as `medicalRecordNumber`. Names such as `iPhone` have none. */
function addCluesInName(clues: Clue[], text: string, start: number, end: number): void {
  const name = text.slice(start, end);
  if (!/[a-z]{2}[A-Z]/.test(name)) return;
  for (const { 0: part, index } of name.matchAll(/[A-Z]*[a-z]+|[A-Z]+/g)) {
    if (index === 0 && part.length < 2) return;
    const at = start + index;
    addClues(clues, text, hashWord(part), { start: at, end: at + part.length });
  }
}

/** Detects a word between delimiters of a table. */
const isCell = (text: string, start: number, end: number) =>
  (start === 0 || /[\n\t,;|"]/.test(text.charAt(start - 1))) && /[\n\t,;|"]/.test(text.charAt(end));

const CAPITAL_Z = 0x5a;
const DASH = 0x2d;
const DOT = 0x2e;
const COLON = 0x3a;
const SPACE = 0x20;
const ZERO = 0x30;

/** Detects a word without digits that may start a value: a bank code, `fe80:`, `B-12345678`, `AB 12 34 56 C`. */
function opensValue(text: string, start: number, end: number): boolean {
  const length = end - start;
  // Reading past the end would deoptimize the compiled code.
  const next = end < text.length ? text.charCodeAt(end) : 0;
  if (next === DASH || next === DOT || next === COLON) {
    // No regular expressions here: every sentence ends with such a word.
    if (length < 9 && next !== DOT && isInRange(text, start, end, LETTER_A, LETTER_F)) return true;
    const after = end + 1 < text.length ? text.charCodeAt(end + 1) : 0;
    const isBeforeDigit = next !== COLON && KINDS[after] === DIGIT;
    if (length < 5 && isBeforeDigit && isInRange(text, start, end, LETTER_A, LETTER_Z)) return true;
  }
  const isCapital = text.charCodeAt(start) < LETTER_A;
  if (isCapital && next === SPACE && (length === 2 || length === 3)) {
    const after = end + 1 < text.length ? text.charCodeAt(end + 1) : ZERO;
    if (KINDS[after] === DIGIT && /^[A-Z]+$/.test(text.slice(start, end))) return true;
  }
  return isCapital && (length === 8 || length === 11) && /^[A-Z]+$/.test(text.slice(start, end));
}

const LETTER_A = 0x61;
const LETTER_F = 0x66;
const LETTER_Z = 0x7a;

/** Returns whether all characters are letters in a range, in either case. */
function isInRange(text: string, start: number, end: number, first: number, last: number): boolean {
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at) | 0x20;
    if (unit < first || unit > last) return false;
  }
  return true;
}
