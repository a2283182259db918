/** Words that read as Latin and are not: `pаypal` with a Cyrillic letter. */
import { FOREIGN } from "../views/lookalikes.ts";

export interface LookalikeWord {
  start: number;
  end: number;
  /** The word in the letters it pretends to have. */
  reads: string;
}

export function lookalikeWords(text: string): readonly LookalikeWord[] {
  if (!BORDER.test(text)) return [];
  return Array.from(text.matchAll(WORD), ({ 0: word, index }) => ({ word, index }))
    .filter(({ word }) => pretends(word))
    .map(({ word, index }) => ({ start: index, end: index + word.length, reads: latin(word) }));
}

/** Greek to Armenian, and Cherokee. */
const BORDER = /[a-z][\u0370-\u058f\u13a0-\u13ff]|[\u0370-\u058f\u13a0-\u13ff][a-z]/i;
const WORD = /[a-z\u0370-\u058f\u13a0-\u13ff]+/gi;

/**
 * Mostly Latin, and every other letter looks so. `cпасибо` with a Latin c is Russian with a slip; `xα` and `kΩ` are
 * formulas.
 */
function pretends(word: string): boolean {
  const foreign = word.replace(/[a-z]/gi, "");
  const count = word.length - foreign.length;
  if (foreign === "" || count < 2 || word.length < 4) return false;
  return Array.from(foreign).every((letter) => FOREIGN.has(letter.charCodeAt(0)));
}

const latin = (word: string) =>
  word.replace(/[^a-z]/gi, (letter) => FOREIGN.get(letter.charCodeAt(0)) ?? letter);
