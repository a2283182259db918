import { expect, test } from "bun:test";
import { createSimilarWordFinder } from "./similar-word-finder.ts";

const found = (wanted: string[], text: string, threshold = 0.8) =>
  createSimilarWordFinder(wanted, threshold)(text).map(({ start, end }) => text.slice(start, end));

test.each([
  ["a replaced letter", "explosive", "an explosiwe thing", ["explosiwe"]],
  ["an added letter", "weapon", "weappon", ["weappon"]],
  ["a missing letter", "weapon", "wepon", ["wepon"]],
  ["transposed letters", "weapon", "waepon", ["waepon"]],
  ["two edits of ten letters", "classified", "clasified clasifed", ["clasified", "clasifed"]],
  ["two edits of six letters are too many", "weapon", "wepan", []],
  ["a phrase word by word", "project falcon", "our projekt falcom plan", ["projekt falcom"]],
  ["short words match only exactly", "gun", "gum", []],
  ["another word", "attack", "back attic", []],
])("%s", (_, wanted, text, expected) => {
  expect(found([wanted], text)).toEqual(expected);
});

test("the most similar keyword wins", () => {
  const [hit] = createSimilarWordFinder(["poisons", "poisoned"], 0.8)("poisonet");

  expect(hit).toEqual({ keyword: 1, similarity: 0.875, start: 0, end: 8 });
});
