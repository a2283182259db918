/** Finds the parts of text that repeat other text, with a few words changed in between. */
import { eachGram, GRAM_LETTERS } from "./gram-set.ts";

export interface Copy {
  /** Indexes of its first and last letter. */
  first: number;
  last: number;
  /** Number of repeated letters. A sequence that occurs again in the copy counts once. */
  repeated: number;
}

export interface Copies {
  copies: readonly Copy[];
  /** Index of the first letter whose copy depends on more text. */
  open: number;
}

/** Letters that may differ between repeated ones: about two words. */
const MAX_GAP_LETTERS = 10;

/** `isRepeated` gets the hash of a sequence of letters. */
export function findCopies(units: Uint16Array, isRepeated: (hash: number) => boolean): Copies {
  const copies: Copy[] = [];
  let copy: Copy | undefined;
  const seen = new Set<number>();
  eachGram(units, (hash, last) => {
    if (!isRepeated(hash)) return;
    const first = last - GRAM_LETTERS + 1;
    if (!copy || first - copy.last - 1 > MAX_GAP_LETTERS) {
      copy = { first, last: first - 1, repeated: 0 };
      copies.push(copy);
      seen.clear();
    }
    if (!seen.has(hash)) copy.repeated += last - Math.max(copy.last, first - 1);
    seen.add(hash);
    copy.last = last;
  });
  /** A sequence that starts here, or later, is not complete. */
  const undecided = Math.max(0, units.length - GRAM_LETTERS + 1);
  const isOpen = copy !== undefined && undecided - copy.last - 1 <= MAX_GAP_LETTERS;
  return { copies, open: isOpen && copy ? Math.min(copy.first, undecided) : undecided };
}
