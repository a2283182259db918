/** Represents text by the mean of its word vectors, those of the injection model's encoder. */
import { readWeights } from "../learned/read-weights.ts";
import { createWordPieceSplitter } from "../learned/word-pieces.ts";

export interface EmbeddedWindow {
  /** Of length 1. */
  vector: Float32Array;
  /** UTF-16 offsets of the window in the text. */
  start: number;
  end: number;
}

/** Returns a vector for each window of the text: none for text without known words. */
export type TextEmbedder = (text: string) => EmbeddedWindow[];

/** A window is two blocks of word pieces, about two sentences. */
const BLOCK_PIECES = 32;
/** Words that are more frequent than this share of all words count less (smooth inverse frequency). */
const RARE_SHARE = 1e-4;

export function createTextEmbedder(bytes: Uint8Array): TextEmbedder {
  const weights = readWeights(bytes);
  const { vocabulary } = weights;
  const split = createWordPieceSplitter(vocabulary);
  const table = weights.bytes("embeddings.word_embeddings.weight");
  const width = table.length / vocabulary.length;
  const scales = weighWords(vocabulary, weights.floats("embeddings.word_embeddings.weight.scale"));

  function addPiece(sum: Float32Array, id: number): void {
    const scale = scales[id] ?? 0;
    if (scale === 0) return;
    const from = id * width;
    for (let index = 0; index < width; index++) {
      sum[index] = (sum[index] ?? 0) + scale * (table[from + index] ?? 0);
    }
  }

  return (text) => {
    const { ids, starts, ends, length } = split(text);
    const windows: EmbeddedWindow[] = [];
    let before: Float32Array | undefined;
    for (let from = 0; from < length; from += BLOCK_PIECES) {
      const to = Math.min(from + BLOCK_PIECES, length);
      const block = new Float32Array(width);
      for (let at = from; at < to; at++) addPiece(block, ids[at] ?? 0);
      const isLast = to === length;
      if (before || isLast) {
        const sum = before ? block.map((value, index) => value + (before?.[index] ?? 0)) : block;
        const vector = normalize(sum);
        const first = before ? from - BLOCK_PIECES : from;
        if (vector) windows.push({ vector, start: starts[first] ?? 0, end: ends[to - 1] ?? 0 });
      }
      before = block;
    }
    return windows;
  };
}

/** Returns the scale of each vector, by the frequency of its word. The vocabulary is ordered by frequency (Zipf's law). */
function weighWords(vocabulary: readonly string[], scales: Float32Array): Float32Array {
  const first = vocabulary.indexOf("the");
  const count = vocabulary.length - first;
  const total = Math.log(count) + 0.577;
  return scales.map((scale, id) =>
    // Signs and letters are before the words.
    id < first ? 0 : (scale * RARE_SHARE) / (RARE_SHARE + 1 / ((id - first + 1) * total)),
  );
}

/** Returns undefined for a vector of length 0. */
export function normalize(vector: Float32Array): Float32Array | undefined {
  const length = Math.sqrt(dotProduct(vector, vector));
  return length === 0 ? undefined : vector.map((value) => value / length);
}

export function dotProduct(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}
