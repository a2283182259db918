/** Labels the tokens of text as parts of names, with weights that `training/train-names.ts` has learned. */
import { readWeights } from "../learned/read-weights.ts";
import { joinNames, type NameSpan } from "./join-names.ts";
import {
  FEATURES,
  isCandidate,
  mayBecomeCandidate,
  readFeatures,
  WINDOW,
} from "./name-features.ts";
import { readFacts } from "./name-lexicon.ts";
import { createWordSplitter, isWord, MAX_TOKEN_DISTANCE, SIGN, type Words } from "./split-words.ts";

export interface NameWeights {
  /** Facts about words (name-lexicon.ts). */
  lexicon: Uint32Array;
  /** Rows for the hashes of features, with one weight per label. */
  weights: Int8Array;
  /** Factor of the weights. */
  scale: number;
}

/** `lower` is the text in lower case, with the same length. */
export interface NameModel {
  /** Returns names in text order. They do not overlap. */
  findNames: (exact: string, lower: string) => NameSpan[];
  /** Returns the first offset, at least `from`, at which more text may add or change a name, or the length of the text. */
  findOpenStart: (exact: string, lower: string, from: number) => number;
}

export const NONE = 0;
const LABELS = 4;
/** The words of a longer run of names are labeled separately, so that a label depends on a limited number of tokens. */
const MAX_RUN = 6;
/** Tokens at the end whose label more text may change. Two of them may become one: `O'` and `Brien`. */
const OPEN_TOKENS = WINDOW + 2;
/** Number of characters before a token that its label depends on. */
export const NAME_CONTEXT = (MAX_RUN + WINDOW + 2) * MAX_TOKEN_DISTANCE;

export function readNameModel(bytes: Uint8Array): NameModel {
  const { header, integers, bytes: readBytes } = readWeights<{ scale: number }>(bytes);
  const lexicon = integers("lexicon");
  return createNameModel({
    lexicon: new Uint32Array(lexicon.buffer, lexicon.byteOffset, lexicon.length),
    weights: readBytes("weights"),
    scale: header.scale,
  });
}

export function createNameModel({ lexicon, weights, scale }: NameWeights): NameModel {
  const split = createWordSplitter();
  const features = new Int32Array(FEATURES);
  const shift = 32 - Math.log2(weights.length / LABELS);
  // Reused by all calls, which never overlap.
  let capacity = 0;
  let facts = new Int32Array(0);
  let scores = new Int32Array(0);
  let labels = new Uint8Array(0);
  let confidences = new Float32Array(0);

  /** Splits text and labels its tokens. */
  function label(exact: string, lower: string): Words {
    const words = split(exact, lower);
    if (words.count > capacity) reserve(words.starts.length);
    for (let index = 0; index < words.count; index++) {
      facts[index] = isWord(words.kinds[index] ?? 0)
        ? readFacts(lexicon, words.hashes[index] ?? 0)
        : 0;
    }
    for (let index = 0; index < words.count; index++) {
      labels[index] = isCandidate(words, facts, index) ? scoreToken(words, lower, index) : NONE;
    }
    for (let index = 0; index < words.count; index++) {
      if (labels[index] !== NONE) index = unifyRun(words.count, index);
    }
    return words;
  }

  /** Adds the weights of the features, and returns the label with the highest score. */
  function scoreToken(words: Words, lower: string, index: number): number {
    readFeatures(words, facts, lower, index, features);
    let none = 0;
    let person = 0;
    let location = 0;
    let organization = 0;
    for (let at = 0; at < FEATURES; at++) {
      const row = ((features[at] ?? 0) >>> shift) * LABELS;
      none += weights[row] ?? 0;
      person += weights[row + 1] ?? 0;
      location += weights[row + 2] ?? 0;
      organization += weights[row + 3] ?? 0;
    }
    scores[index * LABELS] = none;
    scores[index * LABELS + 1] = person;
    scores[index * LABELS + 2] = location;
    scores[index * LABELS + 3] = organization;
    return findBest(none, person, location, organization);
  }

  /** Gives adjacent labeled tokens the label with the highest sum of scores. Returns the last of them. */
  function unifyRun(count: number, first: number): number {
    let end = first + 1;
    while (end < count && labels[end] !== NONE) end++;
    const isShort = end - first <= MAX_RUN;
    if (isShort) labelTokens(first, end);
    else for (let index = first; index < end; index++) labelTokens(index, index + 1);
    return end - 1;
  }

  /** Gives tokens the label with the highest mean score. */
  function labelTokens(first: number, end: number): void {
    const factor = scale / (end - first);
    let [none, person, location, organization] = [0, 0, 0, 0];
    for (let index = first; index < end; index++) {
      none += scores[index * LABELS] ?? 0;
      person += scores[index * LABELS + 1] ?? 0;
      location += scores[index * LABELS + 2] ?? 0;
      organization += scores[index * LABELS + 3] ?? 0;
    }
    const top = Math.max(person, location, organization);
    const total =
      Math.exp((none - top) * factor) +
      Math.exp((person - top) * factor) +
      Math.exp((location - top) * factor) +
      Math.exp((organization - top) * factor);
    labels.fill(person === top ? 1 : location === top ? 2 : 3, first, end);
    confidences.fill(1 / total, first, end);
  }

  function reserve(tokens: number): void {
    capacity = tokens;
    facts = new Int32Array(tokens);
    scores = new Int32Array(tokens * LABELS);
    labels = new Uint8Array(tokens);
    confidences = new Float32Array(tokens);
  }

  return {
    findNames(exact, lower) {
      const words = label(exact, lower);
      return joinNames(exact, words, { labels, confidences });
    },
    findOpenStart(exact, lower, from) {
      const base = Math.max(0, from - NAME_CONTEXT);
      const words = label(exact.slice(base), lower.slice(base));
      let open = Math.max(0, words.count - OPEN_TOKENS);
      while (open < words.count && !mayBecomeCandidate(words, facts, open)) open++;
      if (open === words.count) return exact.length;
      // The tokens before it may be part of the same name.
      for (;;) {
        const before =
          labels[open - 1] !== NONE ? open - 1 : words.kinds[open - 1] === SIGN ? open - 2 : -1;
        if (before < 0 || labels[before] === NONE) break;
        open = before;
      }
      return Math.max(from, base + (words.starts[open] ?? 0));
    },
  };
}

function findBest(none: number, person: number, location: number, organization: number): number {
  if (person > none && person >= location && person >= organization) return 1;
  if (location > none && location >= organization) return 2;
  return organization > none ? 3 : NONE;
}
