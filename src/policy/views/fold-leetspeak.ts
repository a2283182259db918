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

type OneReading = (before: string) => "i" | "l";
const readAsI: OneReading = () => "i";
const ONE_READINGS: readonly OneReading[] = [
  (before) => (/[aeou0341]/.test(before) ? "l" : "i"),
  readAsI,
  () => "l",
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

function replaceWords(text: string, words: readonly LeetWord[], readOne: OneReading): string {
  let out = "";
  let copied = 0;
  for (const { word, start } of words) {
    out += text.slice(copied, start) + replaceSigns(word, readOne);
    copied = start + word.length;
  }
  return out + text.slice(copied);
}

/** Replaces the signs of a word; at its end, `!` is punctuation. */
const replaceSigns = (word: string, readOne: OneReading) =>
  word.replace(/[0134578@$9]|!(?=[a-z0-9@$])/g, (sign, at: number) =>
    sign === "1" ? readOne(word.charAt(at - 1)) : (LETTERS[sign] ?? sign),
  );

const LETTERS: Readonly<Record<string, string>> = {
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
};
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
