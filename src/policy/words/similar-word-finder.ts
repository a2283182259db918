/**
 * Finds misspelled keywords: one or two letters added, missing, replaced or transposed.
 *
 * Symmetric deletion: two words are within n edits only if deleting up to n letters from each can make them equal.
 * Words are looked up by the hashes of their deletions, so that the cost does not depend on the number of keywords.
 */
import { isAscii } from "../../lib/text/fold-name.ts";

export interface SimilarWord {
  /** Index of the keyword. */
  keyword: number;
  start: number;
  end: number;
  /** 1 minus the fraction of the keyword's letters that differ. */
  similarity: number;
}

const MAX_EDITS = 2;
/** Shorter keywords resemble too many words; longer ones have too many deletions. */
const MIN_LENGTH = 4;
const MAX_LENGTH = 32;
/** Longest text that resembles a keyword, and the characters beside it. */
export const MAX_SIMILAR_CHARACTERS = MAX_LENGTH + MAX_EDITS + 2;
const WORDS = /[\p{L}\p{N}]+/gu;
const IS_ASCII_WORD = Uint8Array.from({ length: 128 }, (_, unit) =>
  /[a-z0-9]/i.test(String.fromCharCode(unit)) ? 1 : 0,
);
const MAX_FILTER_BITS = 22;

/** Creates a finder of folded keywords in folded texts. A phrase is compared with the same number of words. */
export function createSimilarWordFinder(
  keywords: readonly string[],
  threshold: number,
): (text: string) => readonly SimilarWord[] {
  const byDeletionHash = new Map<number, number[]>();
  /** Maximum deletions, by number of words and then by length of the candidate. */
  const maxDeletions = new Map<number, number[]>();

  for (const [index, phrase] of keywords.entries()) {
    const edits = Math.min(MAX_EDITS, Math.floor((1 - threshold) * phrase.length + 1e-9));
    if (phrase.length < MIN_LENGTH || phrase.length > MAX_LENGTH || edits === 0) continue;
    const count = findWords(phrase).starts.length;
    const byLength = maxDeletions.get(count) ?? [];
    maxDeletions.set(count, byLength);
    for (let length = phrase.length - edits; length <= phrase.length + edits; length++) {
      byLength[length] = Math.max(byLength[length] ?? 0, edits);
    }
    eachDeletionHash(phrase, edits, (hash) => {
      const same = byDeletionHash.get(hash);
      if (same && same.at(-1) !== index) same.push(index);
      if (!same) byDeletionHash.set(hash, [index]);
    });
  }

  /** Bloom filter of the hashes in the map: rejects most words. Small for few keywords, so that it stays in the cache. */
  const bits = Math.min(MAX_FILTER_BITS, Math.ceil(Math.log2(byDeletionHash.size + 1)) + 10);
  const filter = new Uint32Array(2 ** (bits - 5));
  const filterSlot = (hash: number) => (hash >>> 5) & (filter.length - 1);
  for (const hash of byDeletionHash.keys()) {
    filter[filterSlot(hash)] = (filter[filterSlot(hash)] ?? 0) | (1 << (hash & 31));
  }

  return (text) => {
    const { starts, ends } = findWords(text);
    const found: SimilarWord[] = [];
    /** Candidates repeat, in hostile text a hundred thousand times. */
    const closest = new Map<string, ReturnType<typeof findClosest>>();
    for (const [count, byLength] of maxDeletions) {
      for (let last = count - 1; last < ends.length; last++) {
        const start = starts[last - count + 1] ?? 0;
        const end = ends[last] ?? 0;
        const edits = byLength[end - start];
        if (edits === undefined || !mayResemble(text, start, end, edits)) continue;
        const candidate = text.slice(start, end);
        if (!closest.has(candidate)) closest.set(candidate, findClosest(candidate, edits));
        const best = closest.get(candidate);
        if (best) found.push({ ...best, start, end });
      }
    }
    return found;
  };

  /** Looks up the same hashes as `findClosest`, in the filter only: nearly all candidates end here. */
  function mayResemble(text: string, start: number, end: number, edits: number): boolean {
    const length = hashPrefixes(text, start, end);
    if (isInFilter(prefixHashes[length] ?? 0)) return true;
    for (let gap = 0; gap < length; gap++) {
      const head = prefixHashes[gap] ?? 0;
      if (isInFilter(appendHash(head, gap + 1, length))) return true;
      for (let second = gap + 1; edits > 1 && second < length; second++) {
        const middle = appendHash(head, gap + 1, second);
        if (isInFilter(appendHash(middle, second + 1, length))) return true;
      }
    }
    return false;
  }

  function isInFilter(hash: number): boolean {
    return ((filter[filterSlot(hash)] ?? 0) & (1 << (hash & 31))) !== 0;
  }

  function findClosest(candidate: string, edits: number) {
    const indexes = new Set<number>();
    eachDeletionHash(candidate, edits, (hash) => {
      if (!isInFilter(hash)) return;
      for (const index of byDeletionHash.get(hash) ?? []) indexes.add(index);
    });
    let best: { keyword: number; similarity: number } | undefined;
    for (const index of indexes) {
      const phrase = keywords[index] ?? "";
      const similarity = 1 - editDistance(candidate, phrase) / phrase.length;
      if (similarity < threshold || similarity <= (best?.similarity ?? 0)) continue;
      best = { keyword: index, similarity };
    }
    return best;
  }
}

/** Finds words: letters and digits of any script. */
function findWords(text: string): { starts: number[]; ends: number[] } {
  const starts: number[] = [];
  const ends: number[] = [];
  if (!isAscii(text)) {
    for (const { 0: word, index } of text.matchAll(WORDS)) {
      starts.push(index);
      ends.push(index + word.length);
    }
    return { starts, ends };
  }
  // A regular expression takes four times as long.
  let isInside = false;
  for (let at = 0; at < text.length; at++) {
    const isWord = IS_ASCII_WORD[text.charCodeAt(at)] === 1;
    if (isWord === isInside) continue;
    (isWord ? starts : ends).push(at);
    isInside = isWord;
  }
  if (isInside) ends.push(text.length);
  return { starts, ends };
}

const FACTOR = 0x01000193;
const POWERS = new Int32Array(MAX_LENGTH + MAX_EDITS + 2).fill(1);
for (let power = 1; power < POWERS.length; power++) {
  POWERS[power] = Math.imul(POWERS[power - 1] ?? 0, FACTOR);
}
const prefixHashes = new Int32Array(POWERS.length);

/** Visits the hashes of a word and of its variants with one or two letters deleted. */
function eachDeletionHash(word: string, edits: number, visit: (hash: number) => void) {
  const length = hashPrefixes(word, 0, word.length);
  visit(prefixHashes[length] ?? 0);
  for (let gap = 0; gap < length; gap++) {
    visit(appendHash(prefixHashes[gap] ?? 0, gap + 1, length));
    for (let second = gap + 1; edits > 1 && second < length; second++) {
      visit(appendHash(appendHash(prefixHashes[gap] ?? 0, gap + 1, second), second + 1, length));
    }
  }
}

/** Hashes the beginnings of the text from `start` to `end`. Returns its length. */
function hashPrefixes(text: string, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    const index = at - start;
    prefixHashes[index + 1] =
      (Math.imul(prefixHashes[index] ?? 0, FACTOR) + text.charCodeAt(at)) | 0;
  }
  return end - start;
}

/** Returns the hash of the prefix hashed to `head`, followed by the letters from `from` to `to`. */
function appendHash(head: number, from: number, to: number): number {
  const before = Math.imul(prefixHashes[from] ?? 0, POWERS[to - from] ?? 0);
  return (Math.imul(head, POWERS[to - from] ?? 0) + (prefixHashes[to] ?? 0) - before) | 0;
}

/** Returns the Damerau-Levenshtein distance (optimal string alignment). */
function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          (above[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (above[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (before[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = above;
    above = current;
  }
  return above[other.length] ?? 0;
}
