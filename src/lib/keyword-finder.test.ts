import { expect, test } from "bun:test";
import { seeded } from "../../test/kit/random.ts";
import { keywordFinder } from "./keyword-finder.ts";

const found = (keywords: string[], text: string, ignore_case = false) => {
  const hits: [string | undefined, number][] = [];
  keywordFinder(keywords, { ignore_case })(text, (keyword, end) =>
    hits.push([keywords[keyword], end]),
  );
  return hits;
};

test("every occurrence is told, those inside and across others too", () => {
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

test("case counts unless it is ignored, and then only of ASCII letters", () => {
  expect(found(["key", "é"], "KEY É é")).toEqual([["é", 7]]);
  expect(found(["key", "é"], "KEY É é", true)).toEqual([
    ["key", 3],
    ["é", 7],
  ]);
});

test("no keywords find nothing", () => {
  expect(found([], "text")).toEqual([]);
});

/** The same by looking at every place for every keyword, the longest first. */
function foundSlowly(keywords: string[], text: string) {
  const byLength = keywords.toSorted((one, other) => other.length - one.length);
  return Array.from(text.split(""), (_, at) => at + 1).flatMap((end) =>
    byLength
      .filter((keyword) => text.slice(0, end).endsWith(keyword))
      .map((keyword): [string, number] => [keyword, end]),
  );
}

test("random keywords are found where a look at every place finds them", () => {
  const { below, pick } = seeded(11);
  const word = (length: number, letters: string[]) =>
    Array.from({ length }, () => pick(letters)).join("");
  for (let round = 0; round < 1000; round++) {
    const letters = pick([["a", "b"], ["a", "b", "c"], [..."aé\0"], ["\ud83d", "\ude00", "a"]]);
    const length = 1 + below(8);
    const keywords = [...new Set(Array.from({ length }, () => word(1 + below(5), letters)))];
    const text = word(below(60), letters);

    expect(found(keywords, text)).toEqual(foundSlowly(keywords, text));
    expect(found(keywords, text.toUpperCase(), true)).toEqual(
      foundSlowly(
        keywords,
        text.toUpperCase().replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
      ),
    );
  }
});

test.each([65_535, 65_536, 65_537])("a table of %i states finds its last keyword", (states) => {
  const long = `${"a".repeat(states - 4)}b`; // with "cd" and the start, a state for each letter

  expect(found([long, "cd"], `a${long}cd`)).toEqual([
    [long, states - 2],
    ["cd", states],
  ]);
});
