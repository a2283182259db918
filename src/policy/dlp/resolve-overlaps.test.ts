/** Tests which part of a match remains beside a longer one. */
import { expect, test } from "bun:test";
import { createSegment } from "../segment.ts";
import { resolveOverlaps, toSpans } from "./resolve-overlaps.ts";
import { splitByLine } from "./split-by-line.ts";

const segment = createSegment("one two three four", "user", { pointer: "/input" });
const find = (label: string, start: number, end: number) =>
  splitByLine(segment.text, { start, end }).map((line) => ({
    label,
    type: "pii",
    confidence: 1,
    at: { segment, ...line },
  }));

test("a match of one line takes one object for its location", () => {
  expect(splitByLine(segment.text, { start: 0, end: 7 })).toEqual([{ start: 0, end: 7 }]);
});

test.each([
  ["one\n> two", ["one", "two"]],
  ["one\r\n  # two\n// three", ["one", "two", "three"]],
  ["one\n>\n#\n> two", ["one", "two"]],
  ["one\n//Ab+/", ["one", "//Ab+/"]],
  ["\n>\n>", [">"]],
])("the lines of %j are matches without their prefixes", (text, lines) => {
  const split = splitByLine(text, { start: 0, end: text.length });

  expect(split.map(({ start, end }) => text.slice(start, end))).toEqual(lines);
});

test("the rest of a match beside a longer one keeps the complete match", () => {
  const resolved = resolveOverlaps([...find("short", 0, 7), ...find("long", 4, 18)]);

  expect(resolved.map(({ label, at: { start, end } }) => [label, start, end])).toEqual([
    ["short", 0, 4],
    ["long", 4, 18],
  ]);
  expect(toSpans(resolved).map(({ start, end }) => [start, end])).toEqual([
    [0, 7],
    [4, 18],
  ]);
});
