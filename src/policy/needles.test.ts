import { expect, test } from "bun:test";
import { findNeedles } from "./needles.ts";

test.each([
  [["he", "she", "hers"], "ushers", ["she 4", "he 4", "hers 6"]],
  [["a", "aa"], "aaa", ["a 1", "aa 2", "a 2", "aa 3", "a 3"]],
  [["abcd", "bx"], "abxabcd", ["bx 3", "abcd 7"]],
  [["x y"], "x\u00a0y ж x y", ["x y 9"]],
  [["x"], "", []],
])("%p in %p", (needles, text, expected) => {
  const found: string[] = [];

  findNeedles(needles)(text, (needle, end) => found.push(`${needles[needle]} ${end}`));

  expect(found).toEqual(expected);
});
