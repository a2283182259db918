/** Set of all sequences of twelve letters in given texts, as hashes. */
import { foldText } from "../views/view.ts";
import { readLetters } from "./read-letters.ts";

/** Letters of a sequence: about two and a half words. */
export const GRAM_LETTERS = 12;

export interface GramSet {
  has: (hash: number) => boolean;
  /** Number of letters in the texts. */
  letters: number;
}

/** Bounds the memory of a set to 2 MiB. The rest of a longer text is ignored. */
const MAX_LETTERS = 65_536;

/** Returns the letters, and the same backward and in ROT13, which models write on demand. */
export const listForms = (units: Uint16Array): [Uint16Array, Uint16Array, Uint16Array] => [
  units,
  units.toReversed(),
  units.map(rotateLetter),
];

/** The set contains all forms of the texts. */
export function createGramSet(texts: readonly string[]): GramSet {
  const forms: Uint16Array[] = [];
  let letters = 0;
  for (const text of texts) {
    const units = readLetters(foldText(text).text).units.subarray(0, MAX_LETTERS - letters);
    letters += units.length;
    forms.push(...listForms(units));
  }
  const bits = Math.ceil(Math.log2(3 * letters + 1)) + 1;
  const shift = 32 - bits;
  const mask = 2 ** bits - 1;
  /** Open addressing. An empty slot is 0, so the hash 0 is stored as 1. */
  const slots = new Int32Array(2 ** bits);
  /** Returns the slot of the hash, or the empty slot where it belongs. */
  const findSlot = (hash: number): number => {
    let slot = Math.imul(hash, 0x9e3779b1) >>> shift;
    while (slots[slot] !== 0 && slots[slot] !== hash) slot = (slot + 1) & mask;
    return slot;
  };
  for (const units of forms) {
    eachGram(units, (hash) => {
      slots[findSlot(hash)] = hash;
    });
  }
  return { letters, has: (hash) => slots[findSlot(hash)] !== 0 };
}

/** Calls `visit` with the hash of every sequence, which is never 0, and the index of its last letter. */
export function eachGram(units: Uint16Array, visit: (hash: number, last: number) => void): void {
  let hash = 0;
  for (let at = 0; at < units.length; at++) {
    const dropped = at < GRAM_LETTERS ? 0 : Math.imul(units[at - GRAM_LETTERS] ?? 0, FIRST_FACTOR);
    hash = (Math.imul(hash, FACTOR) + (units[at] ?? 0) - dropped) | 0;
    if (at >= GRAM_LETTERS - 1) visit(hash || 1, at);
  }
}

const FACTOR = 0x01000193;
/** Factor of the first letter of a sequence, when the letter after its last one is added. */
const FIRST_FACTOR = Array.from({ length: GRAM_LETTERS }, () => FACTOR).reduce(
  (product, factor) => Math.imul(product, factor),
  1,
);

function rotateLetter(unit: number): number {
  if (unit < 0x61 || unit > 0x7a) return unit;
  return unit < 0x6e ? unit + 13 : unit - 13;
}
