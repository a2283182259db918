/** The open word of text is found in linear time. */
import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import { findOpenWord } from "./find-open-word.ts";

test.each([
  ["see this", "see "],
  ["see (i.g.n o", "see "],
  ["see ab.c.d e", "see "],
  ["see a_b_c d", "see "],
  ["see xa_b_c d", "see xa_b_c "],
  ["see .... d", "see "],
])("the open word of %j is after %j", (text, before) => {
  expect(text.slice(0, findOpenWord(text))).toBe(before);
});

test.each([".", "a.", "_a", "-."])("a word of many %j is read in linear time", async (unit) => {
  await expectLinear(findOpenWord, (length) => `-${unit.repeat(length / 10)}ab a`);
});
