import { expect, test } from "bun:test";
import { createSimilarWordFinder } from "./similar-word-finder.ts";

const found = (wanted: string[], text: string, threshold = 0.8) =>
  createSimilarWordFinder(wanted, threshold)(text).map(({ start, end }) => text.slice(start, end));

test.each([
  ["a letter wrong", "explosive", "an explosiwe thing", ["explosiwe"]],
  ["a letter more", "weapon", "weappon", ["weappon"]],
  ["a letter fewer", "weapon", "wepon", ["wepon"]],
  ["neighbours swapped", "weapon", "waepon", ["waepon"]],
  ["two edits of ten letters", "classified", "clasified clasifed", ["clasified", "clasifed"]],
  ["two edits of six letters are too many", "weapon", "wepan", []],
  ["a phrase by its words", "project falcon", "our projekt falcom plan", ["projekt falcom"]],
  ["short words are only themselves", "gun", "gum", []],
  ["another word", "attack", "back attic", []],
])("%s", (_, wanted, text, expected) => {
  expect(found([wanted], text)).toEqual(expected);
});

test("the nearest of several is told", () => {
  const [hit] = createSimilarWordFinder(["poisons", "poisoned"], 0.8)("poisonet");

  expect(hit).toEqual({ keyword: 1, similarity: 0.875, start: 0, end: 8 });
});
