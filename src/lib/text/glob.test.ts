import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import { compileGlobs, matchesGlob } from "./glob.ts";

test.each([
  ["read", "read", true],
  ["read", "reader", false],
  ["read*", "reader", true],
  ["read*", "read", true],
  ["*_file", "read_file", true],
  ["*_file", "read_files", false],
  ["a*b*c", "a-b-c", true],
  ["a*b*c", "acb", false],
  ["ab*ba", "aba", false],
  ["*", "", true],
  ["*", "a*b", true],
  ["a.c", "abc", false],
  ["Read*", "read", false],
])("the pattern %s matches %j: %p", (pattern, text, matches) => {
  expect(matchesGlob(pattern, text)).toBe(matches);
});

test("one of several patterns has to match", () => {
  const matches = compileGlobs(["read_*", "list"]);

  expect(["read_file", "list", "lists", "write"].map(matches)).toEqual([true, true, false, false]);
  expect(compileGlobs([])("")).toBe(false);
});

test("a pattern with many stars takes linear time", async () => {
  const match = (text: string) => expect(matchesGlob(`${"*a".repeat(100)}*b`, text)).toBe(false);

  await expectLinear(match, (length) => "a".repeat(length));
});
