import { expect, test } from "bun:test";
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
