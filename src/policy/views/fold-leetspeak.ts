/** Reads leetspeak: `1gn0r3` becomes `ignore`. */
import type { View } from "./view.ts";

/**
 * Replaces digits and signs inside words by the letters they resemble. Keeps offsets. Returns a view for each reading of
 * `1`, which is an i, an l, or an l only after a vowel or another `1`; none if the text has no leetspeak.
 */
export function foldLeetspeak(view: View): readonly View[] {
  const words = findLeetWords(view.text);
  if (words.length === 0) return [];
  const readings = words.some(({ word }) => word.includes("1")) ? ONE_READINGS : [readAsI];
  const texts = new Set(readings.map((readOne) => replaceWords(view.text, words, readOne)));
  texts.delete(view.text);
  return Array.from(texts, (text) => ({ ...view, text, encoding: "leet" }));
}

/** Checks for a digit or sign between two letters, which is unusual in prose. */
export const isLikelyLeetspeak = (text: string) => /[a-z][01345789$!][a-z]/.test(text);

/** Returns the letter of a `1`, as a UTF-16 unit, by the unit before it in the word. */
type OneReading = (before: number) => number;
const [I, L] = [0x69, 0x6c];
const readAsI: OneReading = () => I;
const BEFORE_L = new Set(Array.from("aeou0341", (sign) => sign.charCodeAt(0)));
const ONE_READINGS: readonly OneReading[] = [
  (before) => (BEFORE_L.has(before) ? L : I),
  readAsI,
  () => L,
];

interface LeetWord {
  word: string;
  start: number;
}

function findLeetWords(text: string): readonly LeetWord[] {
  const words: LeetWord[] = [];
  let done = 0;
  for (let sign = findSign(text, 0); sign >= 0; sign = findSign(text, done)) {
    let start = sign;
    while (start > done && isLeetUnit(text.charCodeAt(start - 1))) start--;
    let end = sign;
    while (end < text.length && isLeetUnit(text.charCodeAt(end))) end++;
    done = end;
    if (end - start > MAX_WORD_CHARACTERS) continue;
    const word = text.slice(start, end);
    // Skips plain numbers.
    if (/[a-z]/.test(word)) words.push({ word, start });
  }
  return words;
}

/** Longer words are keys and encoded data. */
const MAX_WORD_CHARACTERS = 64;

/** Replaces the signs of words in a copy of the text: a pattern for each word would take ten times as long. */
function replaceWords(text: string, words: readonly LeetWord[], readOne: OneReading): string {
  const units = Buffer.from(text, "utf16le");
  for (const { word, start } of words) {
    for (let at = 0; at < word.length; at++) {
      const unit = word.charCodeAt(at);
      if (isLetter(unit)) continue;
      // At the end of a word, it is punctuation.
      if (unit === EXCLAMATION && !isAfterExclamation(word.charCodeAt(at + 1))) continue;
      const letter = unit === ONE ? readOne(word.charCodeAt(at - 1)) : LETTERS.get(unit);
      if (letter !== undefined) units.writeUInt16LE(letter, 2 * (start + at));
    }
  }
  return units.toString("utf16le");
}

const [ONE, EXCLAMATION] = [0x31, 0x21];
const isAfterExclamation = (unit: number) => isLeetUnit(unit) && unit !== EXCLAMATION;

const LETTERS = new Map(
  Object.entries({
    "0": "o",
    "3": "e",
    "4": "a",
    "5": "s",
    "7": "t",
    "8": "b",
    "9": "g",
    "@": "a",
    $: "s",
    "!": "i",
  }).map(([sign, letter]) => [sign.charCodeAt(0), letter.charCodeAt(0)]),
);
const SIGN = /[01345789@$!]/g;

function findSign(text: string, from: number): number {
  SIGN.lastIndex = from;
  return SIGN.exec(text)?.index ?? -1;
}

const isLetter = (unit: number) => unit >= 0x61 && unit <= 0x7a;

const isLeetUnit = (unit: number) =>
  isLetter(unit) ||
  (unit >= 0x30 && unit <= 0x39) ||
  unit === 0x40 ||
  unit === 0x24 ||
  unit === 0x21;
