/** Encodes labeled texts as feature rows of the candidate tokens. */
import { FEATURES, isCandidate, readFeatures } from "../../src/policy/names/name-features.ts";
import { readFacts } from "../../src/policy/names/name-lexicon.ts";
import { createWordSplitter, isWord } from "../../src/policy/names/split-words.ts";
import type { TextSpan } from "../../src/policy/views/source-map.ts";
import { LABELS, type LabeledText } from "./labeled-text.ts";

export interface EncodedTokens {
  count: number;
  /** Hashes, `FEATURES` per token. */
  features: Int32Array;
  labels: Uint8Array;
}

export function encodeTexts(lexicon: Uint32Array, texts: readonly LabeledText[]): EncodedTokens {
  const split = createWordSplitter();
  const buffer = new Int32Array(FEATURES);
  const rows: Int32Array[] = [];
  const labels: number[] = [];
  for (const { text, spans, unknown = [] } of texts) {
    const lower = text.toLowerCase();
    if (lower.length !== text.length) continue;
    const words = split(text, lower);
    const facts = Int32Array.from({ length: words.count }, (_, index) =>
      isWord(words.kinds[index] ?? 0) ? readFacts(lexicon, words.hashes[index] ?? 0) : 0,
    );
    for (let index = 0; index < words.count; index++) {
      if (!isCandidate(words, facts, index)) continue;
      const start = words.starts[index] ?? 0;
      const end = words.ends[index] ?? 0;
      const overlaps = (one: TextSpan) => one.start < end && one.end > start;
      if (unknown.some(overlaps)) continue;
      const span = spans.find(overlaps);
      readFeatures(words, facts, lower, index, buffer);
      rows.push(buffer.slice());
      labels.push(span ? LABELS.indexOf(span.label) : 0);
    }
  }
  const features = new Int32Array(rows.length * FEATURES);
  for (const [index, row] of rows.entries()) features.set(row, index * FEATURES);
  return { count: rows.length, features, labels: Uint8Array.from(labels) };
}
