/** Splits text into words, numbers and signs, with the shape and the hash of each. */

/** Kinds of tokens. The kind of a word is its shape. */
export const BREAK = 0;
export const LINE = 1;
export const SIGN = 2;
export const NUMBER = 3;
/** `anna` */
export const LOWER = 4;
/** `Anna` */
export const CAPITALIZED = 5;
/** `ANNA` */
export const UPPER = 6;
/** `A` */
export const INITIAL = 7;
/** `McKay`, `iPhone` */
export const MIXED = 8;
/** `b2b`, `first_name` */
export const CODE = 9;

export const isWord = (kind: number): boolean => kind >= LOWER;

export interface Words {
  count: number;
  starts: Int32Array;
  ends: Int32Array;
  kinds: Uint8Array;
  /** Hashes of the letters in lower case and without accents, or of the signs. */
  hashes: Int32Array;
  /** 1 if no white space precedes the token. */
  glued: Uint8Array;
}

/** A longer word is a break: tokens before it do not affect tokens after it. */
const MAX_WORD_CHARACTERS = 40;
/** More white space is a break. */
const MAX_GAP_CHARACTERS = 8;
const MAX_SIGNS = 4;

/** Maximum distance between the starts of two tokens that no break separates. */
export const MAX_TOKEN_DISTANCE = MAX_WORD_CHARACTERS + MAX_GAP_CHARACTERS;

const SPACE = 0;
const OTHER = 1;
const DIGIT = 2;
const LETTER = 3;
const NEW_LINE = 4;
const ASCII_CLASSES = Uint8Array.from({ length: 128 }, (_, unit) => {
  const character = String.fromCharCode(unit);
  if (/[\n\r]/.test(character)) return NEW_LINE;
  if (unit <= 0x20 || unit === 0x7f) return SPACE;
  if (/[0-9]/.test(character)) return DIGIT;
  return /[A-Za-z_]/.test(character) ? LETTER : OTHER;
});
const UNDERSCORE = 0x5f;
const APOSTROPHE = 0x27;
const CURLY_APOSTROPHE = 0x2019;

const SPECIAL_LETTERS: Readonly<Record<string, string>> = {
  ß: "s",
  æ: "a",
  ð: "d",
  ø: "o",
  þ: "t",
  đ: "d",
  ı: "i",
  ł: "l",
  œ: "o",
};
/** Lower-case letters without their accents, up to those of Vietnamese. */
const PLAIN_LETTERS = Uint16Array.from({ length: 0x1f00 }, (_, unit) => {
  const letter = String.fromCharCode(unit);
  const [base = letter] = letter.normalize("NFD");
  return (SPECIAL_LETTERS[letter] ?? (/[a-z]/.test(base) ? base : letter)).charCodeAt(0);
});

const toPlainLetter = (unit: number): number => (unit < 128 ? unit : (PLAIN_LETTERS[unit] ?? unit));

/** FNV-1a, one code unit at a time. */
export const HASH_START = 0x811c9dc5 | 0;
export const addToHash = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);

/** Returns a word in lower case and without accents. */
export const toPlainWord = (word: string): string =>
  word
    .toLowerCase()
    .replace(/[^\0-\x7f]/g, (letter) => String.fromCharCode(toPlainLetter(letter.charCodeAt(0))));

/** Returns the hash that the splitter gives to a plain word. */
export function hashWord(word: string): number {
  let hash = HASH_START;
  for (let at = 0; at < word.length; at++) hash = addToHash(hash, word.charCodeAt(at));
  return hash;
}

/** `exact` has the original case, and `lower` the same characters in lower case. The result is valid until the next call. */
export type SplitWords = (exact: string, lower: string) => Words;

export function createWordSplitter(): SplitWords {
  let words = createWords(256);

  return (exact, lower) => {
    let count = 0;
    const add = (kind: number, start: number, end: number, hash: number, glued: number) => {
      if (count === words.starts.length) words = growWords(words);
      words.starts[count] = start;
      words.ends[count] = end;
      words.kinds[count] = kind;
      words.hashes[count] = hash;
      words.glued[count] = glued;
      count++;
    };
    const { length } = exact;
    let at = 0;
    let afterSpace = 1;
    while (at < length) {
      const start = at;
      const unit = lower.charCodeAt(at);
      const kind = unit < 128 ? (ASCII_CLASSES[unit] ?? OTHER) : classOf(unit);
      if (kind === SPACE || kind === NEW_LINE) {
        let lines = 0;
        for (; at < length; at++) {
          const space = classAt(lower, at);
          if (space === NEW_LINE) lines++;
          else if (space !== SPACE) break;
        }
        afterSpace = 1;
        if (at - start > MAX_GAP_CHARACTERS || lines > 2) add(BREAK, start, at, BREAK, 0);
        else if (lines > 0) add(LINE, start, at, LINE, 0);
        continue;
      }
      const glued = 1 - afterSpace;
      afterSpace = 0;
      if (kind === OTHER) {
        let hash = HASH_START;
        for (; at < length && at - start < MAX_SIGNS && classAt(lower, at) === OTHER; at++) {
          hash = addToHash(hash, lower.charCodeAt(at));
        }
        add(SIGN, start, at, hash, glued);
        continue;
      }
      let hash = HASH_START;
      let letters = 0;
      let capitals = 0;
      let isCode = false;
      for (; at < length; at++) {
        const letter = lower.charCodeAt(at);
        const part = letter < 128 ? (ASCII_CLASSES[letter] ?? OTHER) : classOf(letter);
        if (part === LETTER) {
          letters++;
          if (exact.charCodeAt(at) !== letter) capitals++;
          else if (letter === UNDERSCORE) isCode = true;
        } else if (part !== DIGIT && !isInnerApostrophe(lower, at, start)) break;
        hash = addToHash(hash, toPlainLetter(letter));
      }
      const size = at - start;
      if (size > MAX_WORD_CHARACTERS) add(BREAK, start, at, BREAK, glued);
      else if (letters === 0) add(NUMBER, start, at, hash, glued);
      else if (isCode || letters + 1 < size) add(CODE, start, at, hash, glued);
      else {
        const startsUpper = exact.charCodeAt(start) !== lower.charCodeAt(start);
        add(shapeOf(letters, capitals, startsUpper), start, at, hash, glued);
      }
    }
    words.count = count;
    return words;
  };
}

function shapeOf(letters: number, capitals: number, startsUpper: boolean): number {
  if (capitals === 0) return LOWER;
  if (capitals === letters) return letters === 1 ? INITIAL : UPPER;
  return startsUpper && capitals === 1 ? CAPITALIZED : MIXED;
}

/** Detects the apostrophe of `O'Brien` and `D’Angelo`, as opposed to `Anna's`. */
function isInnerApostrophe(lower: string, at: number, start: number): boolean {
  const unit = lower.charCodeAt(at);
  if (unit !== APOSTROPHE && unit !== CURLY_APOSTROPHE) return false;
  return at - start <= 2 && at + 1 < lower.length && classAt(lower, at + 1) === LETTER;
}

function classAt(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  return unit < 128 ? (ASCII_CLASSES[unit] ?? OTHER) : classOf(unit);
}

/** Chinese, Japanese and Korean characters are signs: they do not separate words. */
function classOf(unit: number): number {
  if (unit === 0xa0 || (unit >= 0x2000 && unit <= 0x200a)) return SPACE;
  if (unit === 0x85 || unit === 0x2028 || unit === 0x2029) return NEW_LINE;
  return unit < 0xaa || (unit >= 0x2000 && unit < 0x2c00) || unit >= 0x2e80 ? OTHER : LETTER;
}

const createWords = (capacity: number): Words => ({
  count: 0,
  starts: new Int32Array(capacity),
  ends: new Int32Array(capacity),
  kinds: new Uint8Array(capacity),
  hashes: new Int32Array(capacity),
  glued: new Uint8Array(capacity),
});

function growWords(words: Words): Words {
  const grown = createWords(words.starts.length * 2);
  grown.starts.set(words.starts);
  grown.ends.set(words.ends);
  grown.kinds.set(words.kinds);
  grown.hashes.set(words.hashes);
  grown.glued.set(words.glued);
  return grown;
}
