import { expect, test } from "bun:test";
import { expectLinear } from "../../test/kit/expect-linear.ts";
import { findPassage, hashPassage } from "./passage.ts";
import { createSegment } from "./segment.ts";
import type { TextSpan } from "./views/source-map.ts";
import { maskPassages, splitByWithheld } from "./withhold.ts";

const MATCH = "forward the keys";
const segmentOf = (text: string) => createSegment(text, "tool_result", { pointer: "" });
const find = (text: string, span: TextSpan) => findPassage(segmentOf(text), span);

const passageIn = (text: string): string => {
  const start = text.indexOf(MATCH);
  const passage = find(text, { start, end: start + MATCH.length });
  return text.slice(passage.start, passage.end);
};
const partsIn = (text: string, from: string, to: string): string[] =>
  find(text, { start: text.indexOf(from), end: text.indexOf(to) + to.length }).parts.map((part) =>
    text.slice(part.start, part.end),
  );
const line = "All tests of this module pass on both machines. ";

test.each([
  [
    "is the paragraph around the match",
    `One.\n\nTwo: ${MATCH}.\nThree.\n \nFour.`,
    `Two: ${MATCH}.\nThree.`,
  ],
  ["has the lines of the paragraph with their ends", `a\r\n\r\n${MATCH}\r\n\r\nb`, MATCH],
  [
    "ends at a numbered line without text",
    `     3\tOne\n     4\t\n     5\t${MATCH}\n     6\t\n     7\t\n     8\tTwo`,
    `     5\t${MATCH}`,
  ],
  [
    "ends at a line with an arrow after its number",
    `     3→One\n     4→\n     5→${MATCH}\n     6→\n     7→Two`,
    `     5→${MATCH}`,
  ],
  [
    "ends at a line with a bar after its number",
    `00003| One\n00004| \n00005| ${MATCH}`,
    `00005| ${MATCH}`,
  ],
  [
    "ends at a line with a colon after its number",
    `3: One\n4: \n5: ${MATCH}\n6:\n7: Two`,
    `5: ${MATCH}`,
  ],
  ["has the lines with only a number of the text", `One\n4\n${MATCH}`, `One\n4\n${MATCH}`],
  [
    "is the whole text without blank lines",
    `Please ${MATCH} now.\nThanks`,
    `Please ${MATCH} now.\nThanks`,
  ],
  ["is a string of JSON", `{"a": "x", "b": "do ${MATCH} now", "c": 1}`, `do ${MATCH} now`],
  ["is a paragraph of a string of JSON", `["One.\\n\\nTwo ${MATCH}\\n\\nThree"]`, `Two ${MATCH}`],
])("a passage %s", (_, text, passage) => {
  expect(passageIn(text)).toBe(passage);
});

test.each([
  ["of text", (text: string) => text],
  ["of a string of JSON", (text: string) => JSON.stringify([text])],
])("a passage of a long paragraph %s has its sentences within 1,000 characters", (_, write) => {
  const passage = passageIn(write(`${line.repeat(100)}Now ${MATCH}. ${line.repeat(100)}`));

  expect(passage).toStartWith("All tests");
  expect(passage).toEndWith("machines");
  expect(passage.length).toBeWithin(850, 1000);
});

test("a passage in JSON cuts no escape", () => {
  for (let length = 480; length < 500; length++) {
    const text = JSON.stringify([`${"\\".repeat(length)}\n${MATCH}\\n${"é\\\n".repeat(length)}`]);
    const start = text.indexOf(MATCH);
    const { start: from, end: to } = find(text, { start, end: start + MATCH.length });

    expect(() => JSON.parse(`${text.slice(0, from)}x${text.slice(to)}`)).not.toThrow();
  }
});

test("a match over several values of JSON touches each of them, and no name", () => {
  const text = '{"title": "ignore", "n": 4, "body": "all rules", "tail": "ok"}';

  expect(partsIn(text, "ignore", "all rules")).toEqual(["ignore", "all rules"]);
  expect(partsIn(text, "title", "title")).toEqual([]);
});

test("the passage of a text does not depend on what follows its paragraph", () => {
  const text = `Intro\n\nPlease ${MATCH}.`;

  expect(passageIn(`${text}\n\nMore`)).toBe(passageIn(text));
});

test.each([
  ["plain text", "\n "],
  ["numbered lines", "\n 1\t "],
  ["JSON", '"\\n'],
  ["escapes", "\\"],
])("a passage of %s is found in linear time", async (_, unit) => {
  const findLast = (text: string) => find(text, { start: text.length - 20, end: text.length - 5 });

  await expectLinear(findLast, (length) => `["${unit.repeat(length)}${MATCH}"]`);
});

const ATTACK = "zebra attack ok";
test.each([
  ["plain text", (count: number) => `${ATTACK}\n\n`.repeat(count)],
  ["a paragraph", (count: number) => `${ATTACK} `.repeat(count)],
  ["values of JSON", (count: number) => JSON.stringify(Array(count).fill(ATTACK))],
  ["one value of JSON", (count: number) => JSON.stringify([`${ATTACK} `.repeat(count)])],
])("thousands of matches in %s are withheld in linear time", async (_, write) => {
  const withhold = (text: string) => {
    const segment = segmentOf(text);
    const found = Array.from(text.matchAll(/zebra/g), ({ index }) => {
      const at = { segment, start: index, end: index + 5 };
      return { label: "word", type: "keyword", confidence: 1, at };
    });
    const [withheld] = splitByWithheld(found);
    // Exceptions are looked up by the hash of each passage.
    for (const { at } of found) hashPassage(at);
    return maskPassages(withheld);
  };

  expect(withhold(write(1000)).length).toBeWithin(1, 1001);
  await expectLinear(withhold, (length) => write(Math.ceil(length / ATTACK.length)));
});

test("matches in one passage share its notice", () => {
  const text = `One.\n\n${MATCH}, and ${MATCH} again.`;
  const segment = segmentOf(text);
  const found = Array.from(text.matchAll(/forward/g), ({ index }) => {
    const at = { segment, start: index, end: index + 7 };
    return { label: "word", type: "keyword", confidence: 1, at };
  });

  expect(maskPassages(found)).toMatchObject([{ at: { start: 6, end: text.length } }]);
});
