/** Features of a token for the model of names: itself and up to three tokens on each side. */
import { GROUP_BITS, GROUP_MASK, NAME_IN_LOWER_CASE, RELATED_GROUP_SHIFT } from "./name-lexicon.ts";
import {
  addToHash,
  BREAK,
  CAPITALIZED,
  CODE,
  HASH_START,
  LOWER,
  NUMBER,
  type Words,
} from "./split-words.ts";

/** Tokens before and after a token that its features read. */
export const WINDOW = 3;
/** Number of features of a token. */
export const FEATURES = 42;

/** Returns whether a token may be part of a name. Depends on two tokens on each side. */
export function isCandidate(words: Words, facts: Int32Array, index: number): boolean {
  const kind = words.kinds[index] ?? BREAK;
  if (kind === LOWER) {
    const fact = facts[index] ?? 0;
    if ((fact & NAME_IN_LOWER_CASE) !== 0) return true;
    // `anna kowalczykowa`: an unknown word beside a name.
    if (fact === 0)
      return (
        isNameInLowerCase(words, facts, index - 1) || isNameInLowerCase(words, facts, index + 1)
      );
    // `Bank of America`, `Maria de la Cruz`
    return (
      (isCapital(words, index - 1) || isCapital(words, index - 2)) &&
      (isCapital(words, index + 1) || isCapital(words, index + 2))
    );
  }
  // House numbers and postal codes.
  if (kind === NUMBER) return isCapital(words, index - 1) || isCapital(words, index + 1);
  return isCapital(words, index);
}

/** Returns whether a token near the end of text may become a candidate when more text follows. */
export const mayBecomeCandidate = (words: Words, facts: Int32Array, index: number): boolean =>
  words.kinds[index] === NUMBER ||
  (words.kinds[index] === LOWER &&
    ((facts[index] ?? 0) === 0 || isCapital(words, index - 1) || isCapital(words, index - 2))) ||
  isCandidate(words, facts, index);

function isCapital({ kinds, count }: Words, index: number): boolean {
  const kind = index >= 0 && index < count ? (kinds[index] ?? BREAK) : BREAK;
  return kind >= CAPITALIZED && kind !== CODE;
}

const isNameInLowerCase = ({ kinds, count }: Words, facts: Int32Array, index: number): boolean =>
  index >= 0 &&
  index < count &&
  kinds[index] === LOWER &&
  ((facts[index] ?? 0) & NAME_IN_LOWER_CASE) !== 0;

/**
 * Writes the hashes of a token's features to `features`. `lower` is the text that was split, in lower case. Tokens beyond a break are read as breaks.
 */
export function readFeatures(
  words: Words,
  facts: Int32Array,
  lower: string,
  index: number,
  features: Int32Array,
): void {
  const { kinds, hashes, glued, count } = words;
  // Tokens before: 1 to 3. The loops would be slower than this, and an array as well.
  const before1 = index > 0 && kinds[index - 1] !== BREAK;
  const before2 = before1 && index > 1 && kinds[index - 2] !== BREAK;
  const before3 = before2 && index > 2 && kinds[index - 3] !== BREAK;
  const after1 = index + 1 < count && kinds[index + 1] !== BREAK;
  const after2 = after1 && index + 2 < count && kinds[index + 2] !== BREAK;
  const after3 = after2 && index + 3 < count && kinds[index + 3] !== BREAK;
  const word = hashes[index] ?? 0;
  const wordBefore = before1 ? (hashes[index - 1] ?? 0) : 0;
  const wordBefore2 = before2 ? (hashes[index - 2] ?? 0) : 0;
  const wordBefore3 = before3 ? (hashes[index - 3] ?? 0) : 0;
  const wordAfter = after1 ? (hashes[index + 1] ?? 0) : 0;
  const wordAfter2 = after2 ? (hashes[index + 2] ?? 0) : 0;
  const wordAfter3 = after3 ? (hashes[index + 3] ?? 0) : 0;
  const shape = ((kinds[index] ?? 0) << 1) | (glued[index] ?? 0);
  const shapeBefore = before1 ? ((kinds[index - 1] ?? 0) << 1) | (glued[index - 1] ?? 0) : 0;
  const shapeBefore2 = before2 ? ((kinds[index - 2] ?? 0) << 1) | (glued[index - 2] ?? 0) : 0;
  const shapeAfter = after1 ? ((kinds[index + 1] ?? 0) << 1) | (glued[index + 1] ?? 0) : 0;
  const shapeAfter2 = after2 ? ((kinds[index + 2] ?? 0) << 1) | (glued[index + 2] ?? 0) : 0;
  const fact = facts[index] ?? 0;
  const factBefore = before1 ? (facts[index - 1] ?? 0) : 0;
  const factAfter = after1 ? (facts[index + 1] ?? 0) : 0;
  const group = fact & GROUP_MASK;
  const groupBefore = factBefore & GROUP_MASK;
  const groupBefore2 = before2 ? (facts[index - 2] ?? 0) & GROUP_MASK : 0;
  const groupAfter = factAfter & GROUP_MASK;
  const groupAfter2 = after2 ? (facts[index + 2] ?? 0) & GROUP_MASK : 0;
  const related = group >> RELATED_GROUP_SHIFT;
  const relatedBefore = groupBefore >> RELATED_GROUP_SHIFT;
  const relatedAfter = groupAfter >> RELATED_GROUP_SHIFT;
  const flags = fact >> GROUP_BITS;
  const flagsBefore = factBefore >> GROUP_BITS;
  const flagsAfter = factAfter >> GROUP_BITS;
  const start = words.starts[index] ?? 0;
  const end = words.ends[index] ?? 0;
  const size = end - start;

  features[0] = mix(1, shape, 0);
  features[1] = mix(2, word, 0);
  features[2] = mix(3, word, shape);
  features[3] = mix(4, hashLetters(lower, start, size < 3 ? end : start + 3), 0);
  features[4] = mix(5, hashLetters(lower, size < 2 ? start : end - 2, end), 0);
  features[5] = mix(6, hashLetters(lower, size < 3 ? start : end - 3, end), 0);
  features[6] = mix(7, hashLetters(lower, size < 4 ? start : end - 4, end), 0);
  features[7] = mix(8, group, 0);
  features[8] = mix(9, flags, shape);
  features[9] = mix(10, related, flags);
  features[10] = mix(11, wordBefore, 0);
  features[11] = mix(12, wordAfter, 0);
  features[12] = mix(13, wordBefore2, 0);
  features[13] = mix(14, wordAfter2, 0);
  features[14] = mix(15, wordBefore3, 0);
  features[15] = mix(16, wordAfter3, 0);
  features[16] = mix(17, groupBefore, 0);
  features[17] = mix(18, groupAfter, 0);
  features[18] = mix(19, groupBefore2, 0);
  features[19] = mix(20, groupAfter2, 0);
  features[20] = mix(21, flagsBefore, flags);
  features[21] = mix(22, flags, flagsAfter);
  features[22] = mix(23, mix(flagsBefore, flags, flagsAfter), 0);
  features[23] = mix(24, wordBefore2, wordBefore);
  features[24] = mix(25, wordAfter, wordAfter2);
  features[25] = mix(26, groupBefore, flags);
  features[26] = mix(27, flags, groupAfter);
  features[27] = mix(28, mix(shapeBefore2, shapeBefore, shape), mix(shapeAfter, shapeAfter2, 0));
  features[28] = mix(29, mix(shapeBefore, shape, shapeAfter), flags);
  features[29] = mix(30, wordBefore, shape);
  features[30] = mix(31, wordAfter, shape);
  features[31] = mix(32, relatedBefore, related);
  features[32] = mix(33, related, relatedAfter);
  features[33] = mix(34, mix(relatedBefore, related, relatedAfter), shape);
  features[34] = mix(35, wordBefore, wordAfter);
  features[35] = mix(36, size, shape);
  features[36] = mix(37, mix(wordBefore3, wordBefore2, wordBefore), 0);
  features[37] = mix(38, wordBefore, word);
  features[38] = mix(39, word, wordAfter);
  features[39] = mix(40, wordBefore2, shapeBefore);
  features[40] = mix(41, mix(groupBefore2, groupBefore, 0), shape);
  features[41] = mix(42, mix(groupAfter, groupAfter2, 0), shape);
}

function hashLetters(lower: string, start: number, end: number): number {
  let hash = HASH_START;
  for (let at = start; at < end; at++) hash = addToHash(hash, lower.charCodeAt(at));
  return hash;
}

function mix(one: number, two: number, three: number): number {
  let hash = Math.imul(one, 0x9e3779b1) ^ two;
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) ^ three;
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
