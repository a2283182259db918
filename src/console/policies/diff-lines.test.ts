/** Does a diff tell exactly what went and what came? */
import { expect, test } from "bun:test";
import { diffLines } from "./diff-lines.ts";

const shown = (before: string, after: string) =>
  diffLines(before, after).map(({ sign, text }) => sign + text);

test.each([
  ["the same", "a\nb", "a\nb", [" a", " b"]],
  ["one line changed", "a\nb\nc", "a\nx\nc", [" a", "-b", "+x", " c"]],
  ["one came, one went", "a\nb\nc\nd", "a\nc\nx\nd", [" a", "-b", " c", "+x", " d"]],
  ["only at the end", "a", "a\nb", [" a", "+b"]],
  ["a repeated line", "a\na", "a", [" a", "-a"]],
])("%s", (_, before, after, expected) => {
  expect(shown(before, after)).toEqual(expected);
});

test("long texts without a common line are told as a whole, at once", () => {
  const text = (word: string) => Array.from({ length: 5000 }, (_, n) => `${word}${n}`).join("\n");

  expect(diffLines(text("a"), text("b"))).toHaveLength(10_000);
});
