/** Scores windows of words for toxic language by category: a linear model over hashed words, pairs and character n-grams. */

import type { ReportLevel } from "../setting-schemas.ts";
import { readWeights } from "./read-weights.ts";

export const TOXICITY_CATEGORIES = [
  "hate",
  "harassment",
  "violence",
  "sexual",
  "profanity",
  "self_harm",
] as const;
export type ToxicityCategory = (typeof TOXICITY_CATEGORIES)[number];

/** Overlapping windows of one category that reach the limit, or the window with the highest score. */
export interface ToxicSpan {
  category: ToxicityCategory;
  /** 0 to 1, of the worst window. */
  score: number;
  /** UTF-16 offsets in the text. */
  start: number;
  end: number;
}

export interface ToxicityScorer {
  /** Minimum scores by level, measured on text that was not trained on. */
  thresholds: Record<ReportLevel, number>;
  /** Returns the spans of folded text with at least this score, and the window with the highest score. */
  findSpans: (
    text: string,
    categories: readonly ToxicityCategory[],
    threshold: number,
  ) => { spans: ToxicSpan[]; highest: ToxicSpan | undefined };
}

interface Header {
  categories: ToxicityCategory[];
  thresholds: Record<ReportLevel, number>;
}

/** Words of a window. Text with fewer words is one window. */
const TOXICITY_WINDOW = 16;
/** Longer words are data: they have no features. */
const MAX_WORD_CHARACTERS = 40;
/** Words with more characters between them are not a pair. */
const MAX_GAP_CHARACTERS = 8;
/** A word that is repeated within this many characters counts once. */
const REPEAT_CHARACTERS = 100;
/** At least the number of words in `REPEAT_CHARACTERS`. A power of two. */
const RECENT_WORDS = 128;
/** Number of characters before a window that its score depends on. */
export const TOXICITY_CONTEXT = REPEAT_CHARACTERS + MAX_WORD_CHARACTERS;

const PRIME = 0x01000193;
/** Seeds of FNV-1a, by kind of feature, as in training/train_toxicity.py. */
const WORD_SEED = 0x811c9dc5 ^ 1;
const PAIR_SEED = 0x811c9dc5 ^ 2;
const PART_SEED = 0x811c9dc5 ^ 3;
const WORD_START = 0x3c;
const WORD_END = 0x3e;

export function createToxicityScorer(bytes: Uint8Array): ToxicityScorer {
  const weights = readWeights<Header>(bytes);
  const { categories: columns, thresholds } = weights.header;
  const width = columns.length;
  const table = weights.bytes("table");
  const scales = weights.floats("scale");
  const biases = weights.floats("bias");
  const mask = table.length / width - 1;
  const padded = new Uint16Array(MAX_WORD_CHARACTERS + 2);

  function addFeature(hash: number, sums: Int32Array, at: number): void {
    const row = ((hash ^ (hash >>> 16)) & mask) * width;
    for (let column = 0; column < width; column++) {
      sums[at + column] = (sums[at + column] ?? 0) + (table[row + column] ?? 0);
    }
  }

  /** Adds the n-grams of three to five characters. */
  function addParts(text: string, start: number, end: number, sums: Int32Array, at: number): void {
    const length = end - start;
    padded[0] = WORD_START;
    for (let index = 0; index < length; index++) padded[index + 1] = text.charCodeAt(start + index);
    padded[length + 1] = WORD_END;
    for (let first = 0; first < length; first++) {
      let part = PART_SEED;
      const last = Math.min(first + 5, length + 2);
      for (let index = first; index < last; index++) {
        part = Math.imul(part ^ (padded[index] ?? 0), PRIME);
        if (index - first >= 2) addFeature(part, sums, at);
      }
    }
  }

  return {
    thresholds,
    findSpans(text, categories, threshold) {
      const selected = categories.map((category) => columns.indexOf(category));
      const limit = Math.log(threshold / (1 - threshold));
      const spans: ToxicSpan[] = [];
      const open: (ToxicSpan | undefined)[] = [];
      let highest: ToxicSpan | undefined;
      let highestLogit = Number.NEGATIVE_INFINITY;
      /** Sums of the last words, as a ring, and of the window. */
      const ring = new Int32Array(TOXICITY_WINDOW * width);
      const window = new Int32Array(width);
      const starts = new Int32Array(TOXICITY_WINDOW);
      const recent = new Int32Array(RECENT_WORDS);
      const recentEnds = new Int32Array(RECENT_WORDS);
      let count = 0;

      const isRepeated = (word: number, start: number) => {
        for (let back = 1; back <= Math.min(count, RECENT_WORDS); back++) {
          const slot = (count - back) & (RECENT_WORDS - 1);
          if (start - (recentEnds[slot] ?? 0) >= REPEAT_CHARACTERS) return false;
          if (recent[slot] === word) return true;
        }
        return false;
      };
      const addWord = (start: number, end: number, at: number) => {
        const word = hashWord(text, start, end);
        if (!isRepeated(word, start)) {
          if (end - start <= MAX_WORD_CHARACTERS) {
            addFeature(word, ring, at);
            addParts(text, start, end, ring, at);
          }
          const before = (count - 1) & (RECENT_WORDS - 1);
          if (count > 0 && start - (recentEnds[before] ?? 0) <= MAX_GAP_CHARACTERS) {
            const pair = Math.imul(PAIR_SEED ^ (recent[before] ?? 0), PRIME);
            addFeature(Math.imul(pair ^ word, PRIME), ring, at);
          }
        }
        recent[count & (RECENT_WORDS - 1)] = word;
        recentEnds[count & (RECENT_WORDS - 1)] = end;
      };

      const scoreWindow = (end: number) => {
        const start = starts[count < TOXICITY_WINDOW ? 0 : count % TOXICITY_WINDOW] ?? 0;
        for (const column of selected) {
          const logit = (window[column] ?? 0) * (scales[column] ?? 0) + (biases[column] ?? 0);
          if (logit < limit && logit <= highestLogit) continue;
          const category = columns[column] ?? "profanity";
          const span = { category, score: 1 / (1 + Math.exp(-logit)), start, end };
          if (logit > highestLogit) {
            highestLogit = logit;
            highest = { ...span };
          }
          if (logit < limit) continue;
          const run = open[column];
          if (run && run.end > start) {
            run.end = end;
            run.score = Math.max(run.score, span.score);
          } else {
            open[column] = span;
            spans.push(span);
          }
        }
      };

      let start = findWord(text, 0);
      let end = 0;
      for (; start < text.length; start = findWord(text, end)) {
        end = findWordEnd(text, start);
        const slot = count % TOXICITY_WINDOW;
        const at = slot * width;
        for (let column = 0; column < width; column++) {
          window[column] = (window[column] ?? 0) - (ring[at + column] ?? 0);
          ring[at + column] = 0;
        }
        addWord(start, end, at);
        for (let column = 0; column < width; column++) {
          window[column] = (window[column] ?? 0) + (ring[at + column] ?? 0);
        }
        starts[slot] = start;
        count++;
        if (count >= TOXICITY_WINDOW) scoreWindow(end);
      }
      if (count > 0 && count < TOXICITY_WINDOW) scoreWindow(end);
      return { spans, highest };
    },
  };
}

function hashWord(text: string, start: number, end: number): number {
  let hash = WORD_SEED;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  return hash;
}

/** Returns the start of the last window of folded text, or 0 if it has fewer words. */
export function findLastWindow(text: string): number {
  let at = text.length;
  for (let words = 0; words < TOXICITY_WINDOW && at > 0; words++) {
    while (at > 0 && classify(text.charCodeAt(at - 1)) === SEPARATOR) at--;
    if (at > 0 && classify(text.charCodeAt(at - 1)) === IDEOGRAPH) at--;
    else while (at > 0 && classify(text.charCodeAt(at - 1)) === LETTER) at--;
  }
  return at;
}

function findWord(text: string, from: number): number {
  let at = from;
  while (at < text.length && classify(text.charCodeAt(at)) === SEPARATOR) at++;
  return at;
}

/** An ideograph is a word. */
function findWordEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && classify(text.charCodeAt(at)) === LETTER) at++;
  return at === start ? start + 1 : at;
}

const SEPARATOR = 0;
const LETTER = 1;
const IDEOGRAPH = 2;

const ASCII_CLASSES = Uint8Array.from({ length: 128 }, (_, unit) =>
  /[a-z0-9@$]/.test(String.fromCharCode(unit)) ? LETTER : SEPARATOR,
);

function classify(unit: number): number {
  if (unit < 128) return ASCII_CLASSES[unit] ?? SEPARATOR;
  if (unit < 0xc0) return SEPARATOR;
  if (unit < 0x2000) return LETTER;
  return (unit >= 0x2e80 && unit < 0xd800) || (unit >= 0xf900 && unit <= 0xffdc)
    ? IDEOGRAPH
    : SEPARATOR;
}
