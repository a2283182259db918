/** Finds words that look Latin but mix in other scripts: `pаypal` with a Cyrillic letter. */
import { CONTEXTUAL_LOOKALIKES } from "../views/lookalikes.ts";

export interface LookalikeWord {
  start: number;
  end: number;
  /** The word in Latin letters. */
  visibleText: string;
}

export function findLookalikeWords(text: string): readonly LookalikeWord[] {
  if (!SCRIPT_CHANGE.test(text)) return [];
  return Array.from(text.matchAll(WORD), ({ 0: word, index }) => ({ word, index }))
    .filter(({ word }) => isLookalike(word))
    .map(({ word, index }) => ({
      start: index,
      end: index + word.length,
      visibleText: toLatin(word),
    }));
}

/** Greek to Armenian, and Cherokee. */
const SCRIPT_CHANGE = /[a-z][\u0370-\u058f\u13a0-\u13ff]|[\u0370-\u058f\u13a0-\u13ff][a-z]/i;
const WORD = /[a-z\u0370-\u058f\u13a0-\u13ff]+/gi;

/**
 * Checks that every foreign letter looks Latin. `cпасибо` with a Latin c is Russian with a typo; `xα` and `kΩ` are
 * formulas.
 */
function isLookalike(word: string): boolean {
  const foreign = word.replace(/[a-z]/gi, "");
  const count = word.length - foreign.length;
  if (foreign === "" || count < 2 || word.length < 4) return false;
  return Array.from(foreign).every((letter) => CONTEXTUAL_LOOKALIKES.has(letter.charCodeAt(0)));
}

const toLatin = (word: string) =>
  word.replace(/[^a-z]/gi, (letter) => CONTEXTUAL_LOOKALIKES.get(letter.charCodeAt(0)) ?? letter);
