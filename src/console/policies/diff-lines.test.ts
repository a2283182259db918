/** Tests that a diff has exactly the removed and added lines. */
import { expect, test } from "bun:test";
import { diffLines } from "./diff-lines.ts";

const diff = (before: string, after: string) =>
  diffLines(before, after).map(({ sign, text }) => sign + text);

test.each([
  ["the same", "a\nb", "a\nb", [" a", " b"]],
  ["one line changed", "a\nb\nc", "a\nx\nc", [" a", "-b", "+x", " c"]],
  ["one added, one removed", "a\nb\nc\nd", "a\nc\nx\nd", [" a", "-b", " c", "+x", " d"]],
  ["only at the end", "a", "a\nb", [" a", "+b"]],
  ["a repeated line", "a\na", "a", [" a", "-a"]],
])("%s", (_, before, after, expected) => {
  expect(diff(before, after)).toEqual(expected);
});

test("long texts without a common line are reported as a whole", () => {
  const text = (word: string) => Array.from({ length: 5000 }, (_, n) => `${word}${n}`).join("\n");

  expect(diffLines(text("a"), text("b"))).toHaveLength(10_000);
});
