import { expect, test } from "bun:test";
import { seeded } from "../../../test/kit/random.ts";
import { createKeywordFinder } from "./keyword-finder.ts";

const found = (keywords: string[], text: string, ignore_case = false) => {
  const hits: [string | undefined, number][] = [];
  createKeywordFinder(keywords, { ignore_case })(text, (keyword, end) =>
    hits.push([keywords[keyword], end]),
  );
  return hits;
};

test("every occurrence is found, also inside of others and overlapping", () => {
  expect(found(["he", "she", "hers", "his"], "ushers")).toEqual([
    ["she", 4],
    ["he", 4],
    ["hers", 6],
  ]);
  expect(found(["aa"], "aaaa")).toEqual([
    ["aa", 2],
    ["aa", 3],
    ["aa", 4],
  ]);
});

test("case is significant unless it is ignored, and letters keep their length", () => {
  expect(found(["key", "é"], "KEY É é")).toEqual([["é", 7]]);
  expect(found(["key", "é", "i̇ß"], "KEY É é İß i̇SS", true)).toEqual([
    ["key", 3],
    ["é", 5],
    ["é", 7],
  ]);
});

test("no keywords find nothing", () => {
  expect(found([], "text")).toEqual([]);
});

/** The same by brute force over every substring, the longest first. */
function foundSlowly(keywords: string[], text: string) {
  const known = new Set(keywords);
  const longest = Math.max(...keywords.map(({ length }) => length));
  return Array.from(text.split(""), (_, at) => at + 1).flatMap((end) =>
    Array.from({ length: Math.min(longest, end) }, (_, at) =>
      text.slice(Math.max(0, end - longest) + at, end),
    )
      .filter((part) => known.has(part))
      .map((keyword): [string, number] => [keyword, end]),
  );
}

test("random keywords are found where a brute-force search finds them", () => {
  const { below, pick } = seeded(11);
  const word = (length: number, letters: string[]) =>
    Array.from({ length }, () => pick(letters)).join("");
  for (let round = 0; round < 1000; round++) {
    const letters = pick([["a", "b"], ["a", "b", "c"], [..."aé\0"], ["\ud83d", "\ude00", "a"]]);
    const length = 1 + below(8);
    const keywords = [...new Set(Array.from({ length }, () => word(1 + below(5), letters)))];
    const text = word(below(60), letters);

    expect(found(keywords, text)).toEqual(foundSlowly(keywords, text));
    expect(found(keywords, text.toUpperCase(), true)).toEqual(foundSlowly(keywords, text));
  }
});

test("a long list in a script of thousands of characters is searched like a short one", () => {
  const { below, pick } = seeded(12);
  const first = "一".charCodeAt(0);
  const word = (length: number) =>
    String.fromCharCode(...Array.from({ length }, () => first + below(6000)));
  const some = Array.from({ length: 4000 }, () => word(5));
  // Substrings, and keywords that start with the end of another: they use the fallbacks of deep states.
  const parts = some.map((of) => of.slice(below(4)));
  const onwards = some.map((of) => of.slice(2 + below(3)) + word(2));
  const others = Array.from({ length: 40_000 }, () => word(5));
  const keywords = [...new Set([...some, ...parts, ...onwards, ...others])];
  const text = Array.from(
    { length: 60 },
    () => pick(keywords.slice(0, 10_000)) + pick(["", word(1)]),
  ).join("");

  const hits = found(keywords, text);

  expect(hits.length).toBeGreaterThan(60);
  expect(hits).toEqual(foundSlowly(keywords, text));
});
