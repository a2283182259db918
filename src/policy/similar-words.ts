/**
 * Finds words that are nearly one of many others: a letter more, fewer, wrong or swapped.
 *
 * Two words are at most so many edits apart if leaving out as many letters of each can make them equal, so every
 * word is looked up by what remains of it. That costs the same for ten words as for ten thousand.
 */

export interface Similar {
  /** Number of the wanted word or phrase. */
  wanted: number;
  start: number;
  end: number;
  /** 1 less the share of letters that differ. */
  similarity: number;
}

const MOST_EDITS = 2;
/** Shorter ones are all alike; of longer ones, leaving out letters has too many ways. */
const SHORTEST = 4;
const LONGEST = 32;
const WORDS = /[\p{L}\p{N}]+/gu;

/** Wanted words and texts are folded. Phrases are compared with as many words as they have. */
export function similarWords(
  wanted: readonly string[],
  threshold: number,
): (text: string) => readonly Similar[] {
  const byRemains = new Map<string, number[]>();
  /** Of phrases of so many words: the lengths that a stretch of text must have to be worth a look. */
  const lengths = new Map<number, Set<number>>();
  const editsFor = (length: number) =>
    Math.min(MOST_EDITS, Math.floor((1 - threshold) * length + 1e-9));
  for (const [index, phrase] of wanted.entries()) {
    if (phrase.length < SHORTEST || phrase.length > LONGEST) continue;
    const edits = editsFor(phrase.length);
    const count = phrase.match(WORDS)?.length ?? 0;
    const known = lengths.get(count) ?? new Set();
    for (let length = phrase.length - edits; length <= phrase.length + edits; length++)
      known.add(length);
    lengths.set(count, known);
    for (const rest of remains(phrase, edits))
      byRemains.set(rest, [...(byRemains.get(rest) ?? []), index]);
  }

  return (text) => {
    const words = [...text.matchAll(WORDS)].map(({ index, 0: word }) => ({
      start: index,
      end: index + word.length,
    }));
    const found: Similar[] = [];
    for (const [count, worthIt] of lengths) {
      for (let first = 0; first + count <= words.length; first++) {
        const start = words[first]?.start ?? 0;
        const end = words[first + count - 1]?.end ?? 0;
        if (!worthIt.has(end - start)) continue;
        const best = closest(text.slice(start, end));
        if (best) found.push({ ...best, start, end });
      }
    }
    return found;
  };

  function closest(stretch: string) {
    let best: { wanted: number; similarity: number } | undefined;
    const candidates = new Set<number>();
    for (const rest of remains(stretch, editsFor(stretch.length + MOST_EDITS))) {
      for (const index of byRemains.get(rest) ?? []) candidates.add(index);
    }
    for (const index of candidates) {
      const phrase = wanted[index] ?? "";
      const similarity = 1 - distance(stretch, phrase) / Math.max(stretch.length, phrase.length);
      if (similarity >= threshold && similarity > (best?.similarity ?? 0))
        best = { wanted: index, similarity };
    }
    return best;
  }
}

/** The word, and what is left of it without up to `edits` of its letters. */
function remains(word: string, edits: number): Set<string> {
  const all = new Set([word]);
  let layer = [word];
  for (let left = edits; left > 0; left--) {
    layer = layer.flatMap((rest) =>
      Array.from(rest, (_, at) => rest.slice(0, at) + rest.slice(at + 1)),
    );
    for (const rest of layer) all.add(rest);
  }
  return all;
}

/** How many letters to add, leave out, replace or swap with their neighbour to make one of the other. */
function distance(one: string, other: string): number {
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
