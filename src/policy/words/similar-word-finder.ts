/**
 * Finds words that are nearly one of many others: a letter more, fewer, wrong, or swapped with its neighbour.
 *
 * Two words are within so many edits only if both can be made the same by leaving out as many letters. So words
 * are looked up by the hashes of what remains of them, and ten thousand cost no more than ten.
 */

export interface SimilarWord {
  /** Number of the wanted word or phrase. */
  keyword: number;
  start: number;
  end: number;
  /** 1 less the share of the wanted letters that differ. */
  similarity: number;
}

const MAX_EDITS = 2;
/** Shorter ones are all alike; longer ones can lose letters in too many ways. */
const MIN_LENGTH = 4;
const MAX_LENGTH = 32;
const WORDS = /[\p{L}\p{N}]+/gu;
const FILTER_BITS = 22;

/** Wanted words and texts are folded. Phrases are compared with as many words as they have. */
export function createSimilarWordFinder(
  wanted: readonly string[],
  threshold: number,
): (text: string) => readonly SimilarWord[] {
  const byRemains = new Map<number, number[]>();
  /** One bit for each hash that may be in the map: most words stop here. */
  const filter = new Uint32Array(2 ** (FILTER_BITS - 5));
  /** By number of words in a phrase and by length of a stretch of text: how many letters that may lose. */
  const loses = new Map<number, number[]>();

  for (const [index, phrase] of wanted.entries()) {
    const edits = Math.min(MAX_EDITS, Math.floor((1 - threshold) * phrase.length + 1e-9));
    if (phrase.length < MIN_LENGTH || phrase.length > MAX_LENGTH || edits === 0) continue;
    const count = phrase.match(WORDS)?.length ?? 0;
    const byLength = loses.get(count) ?? [];
    loses.set(count, byLength);
    for (let length = phrase.length - edits; length <= phrase.length + edits; length++) {
      byLength[length] = Math.max(byLength[length] ?? 0, edits);
    }
    eachDeletionHash(phrase, edits, (hash) => {
      filter[filterSlot(hash)] = (filter[filterSlot(hash)] ?? 0) | (1 << (hash & 31));
      const same = byRemains.get(hash);
      if (same && same.at(-1) !== index) same.push(index);
      if (!same) byRemains.set(hash, [index]);
    });
  }

  return (text) => {
    const words = [...text.matchAll(WORDS)];
    const found: SimilarWord[] = [];
    for (const [count, byLength] of loses) {
      for (let first = 0; first + count <= words.length; first++) {
        const last = words[first + count - 1];
        const start = words[first]?.index ?? 0;
        const end = last ? last.index + last[0].length : start;
        const edits = byLength[end - start];
        const best = edits && closest(text.slice(start, end), edits);
        if (best) found.push({ ...best, start, end });
      }
    }
    return found;
  };

  function closest(stretch: string, edits: number) {
    const candidates = new Set<number>();
    eachDeletionHash(stretch, edits, (hash) => {
      if (!((filter[filterSlot(hash)] ?? 0) & (1 << (hash & 31)))) return;
      for (const index of byRemains.get(hash) ?? []) candidates.add(index);
    });
    let best: { keyword: number; similarity: number } | undefined;
    for (const index of candidates) {
      const phrase = wanted[index] ?? "";
      const similarity = 1 - editDistance(stretch, phrase) / phrase.length;
      if (similarity < threshold || similarity <= (best?.similarity ?? 0)) continue;
      best = { keyword: index, similarity };
    }
    return best;
  }
}

const filterSlot = (hash: number) => (hash >>> 5) & (2 ** (FILTER_BITS - 5) - 1);

const FACTOR = 0x01000193;
const POWERS = new Int32Array(MAX_LENGTH + MAX_EDITS + 2).fill(1);
for (let power = 1; power < POWERS.length; power++) {
  POWERS[power] = Math.imul(POWERS[power - 1] ?? 0, FACTOR);
}
const prefixHashes = new Int32Array(POWERS.length);

/** The hashes of a word, and of what is left of it without one or two of its letters. */
function eachDeletionHash(word: string, edits: number, found: (hash: number) => void) {
  const length = word.length;
  for (let at = 0; at < length; at++) {
    prefixHashes[at + 1] = (Math.imul(prefixHashes[at] ?? 0, FACTOR) + word.charCodeAt(at)) | 0;
  }
  found(prefixHashes[length] ?? 0);
  for (let gap = 0; gap < length; gap++) {
    found(appendHash(prefixHashes[gap] ?? 0, gap + 1, length));
    for (let second = gap + 1; edits > 1 && second < length; second++) {
      found(appendHash(appendHash(prefixHashes[gap] ?? 0, gap + 1, second), second + 1, length));
    }
  }
}

/** The hash of what `head` stands for, followed by the letters from `from` to `to`. */
function appendHash(head: number, from: number, to: number): number {
  const before = Math.imul(prefixHashes[from] ?? 0, POWERS[to - from] ?? 0);
  return (Math.imul(head, POWERS[to - from] ?? 0) + (prefixHashes[to] ?? 0) - before) | 0;
}

/** How many letters to add, leave out, replace or swap to make one word of the other. */
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
