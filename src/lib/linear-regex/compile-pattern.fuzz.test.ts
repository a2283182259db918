/** Compares random patterns on random texts with JavaScript's own engine. */
import { expect, test } from "bun:test";
import { type Random, seeded } from "../../../test/kit/random.ts";
import { compilePattern } from "./compile-pattern.ts";

const ATOMS = ["a", "b", "1", " ", "_", "\\n", "é", "😀", "\\u{1f601}", "Z"];
const SETS = [
  ".",
  "\\w",
  "\\W",
  "\\d",
  "\\s",
  "\\S",
  "[ab]",
  "[^a]",
  "[a-c1]",
  "[^\\w]",
  "[😀-😂]",
];
const EDGES = ["\\b", "\\B", "^", "$"];
const COUNTS = ["*", "+", "?", "*?", "+?", "??", "{2}", "{0,2}", "{1,3}?", "{2,}"];
const LETTERS = ["a", "b", "c", "1", " ", "_", "\n", "é", "😀", "😁", "Z", "z", "\ud83d", "\ude00"];

function randomPattern(random: Random, depth: number): string {
  const { below, pick } = random;
  const inside = () => randomPattern(random, depth - 1);
  const kind = below(depth === 0 ? 3 : 8);
  if (kind < 2) return pick(ATOMS);
  if (kind === 2) return pick(SETS);
  if (kind === 3) return pick(EDGES);
  if (kind === 4) return `(?:${inside()}|${inside()})`;
  if (kind === 5) return `(?:${repeatable(random, depth)})${pick(COUNTS)}`;
  return inside() + inside();
}

/** Excludes items that may match nothing: only JavaScript undoes a repetition that took no character. */
function repeatable(random: Random, depth: number): string {
  const source = randomPattern(random, depth - 1);
  const matches = ["", "a", " a"].flatMap((text) => [...text.matchAll(new RegExp(source, "gu"))]);
  return matches.some(([match]) => match === "") ? "a" : source;
}

const offsets = (matches: Iterable<RegExpExecArray>) =>
  Array.from(matches, ({ 0: { length }, index }) => ({ start: index, end: index + length })).filter(
    ({ start, end }) => end > start,
  );

test("6,000 random texts are matched as JavaScript matches them", () => {
  const random = seeded(21);
  for (let round = 0; round < 3000; round++) {
    const source = randomPattern(random, 1 + random.below(3));
    const lines = random.below(3) === 0;
    const ignore_case = random.below(4) === 0;
    const ours = compilePattern(`${lines ? "(?m)" : ""}${source}`, { ignore_case });
    const theirs = new RegExp(source, `gu${lines ? "m" : ""}${ignore_case ? "i" : ""}`);
    for (const length of [3, 12]) {
      const text = Array.from({ length }, () => random.pick(LETTERS)).join("");

      expect({ source, text, spans: ours.findMatches(text) }).toEqual({
        source,
        text,
        spans: offsets(text.matchAll(theirs)),
      });
    }
  }
});

test.each([
  ["c[ab]{12}a", "ababababababababababc"],
  ["a[ab😀]{11}b", "ab😀"],
  ["\\ba[ab ]{12}b", "ab "],
])("%p in texts with more states than are cached", (source, letters) => {
  const random = seeded(22);
  const ours = compilePattern(source);
  for (const length of [4095, 4096, 4097, 20_000]) {
    const text = Array.from({ length }, () => random.pick([...letters])).join("");

    expect(ours.findMatches(text)).toEqual(offsets(text.matchAll(new RegExp(source, "gu"))));
  }
});
