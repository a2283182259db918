/** A match of a page is reported unless that of its source is. */
import { expect, test } from "bun:test";
import { expectLinear } from "../../test/kit/expect-linear.ts";
import type { Match } from "./detector.ts";
import { dropRepeated } from "./drop-repeated.ts";
import { createSegment } from "./segment.ts";

test("a match below the threshold in the source does not replace one in the page", () => {
  const source = createSegment("<p>bad</p>", "user", { pointer: "" });
  const page = {
    source,
    isDeclared: true,
    isJson: false,
    run: null,
    pieces: [{ start: 0, end: 3, from: 3, to: 6 }],
  };
  const read = createSegment("bad", "attachment", { pointer: "", page });
  const at = (start: number, segment = source) => ({ segment, start, end: start + 3 });
  const [type, label, confidence] = ["toxicity", "insult", 0.5];
  const ofPage: Match = { type, label, confidence, at: at(0, read) };
  const ofSource: Match = { type, label, confidence, at: at(3) };
  const below: Match = { ...ofSource, reported: false };

  expect(dropRepeated([ofSource, ofPage])).toEqual([ofSource]);
  expect(dropRepeated([below, ofPage])).toEqual([below, ofPage]);
});

test("matches of many pages that are encoded in one text are compared in linear time", async () => {
  const listMatches = (length: number): Match[] => {
    const [type, label, confidence] = ["pii", "email", 1];
    const source = createSegment("x".repeat(length), "tool_result", { pointer: "" });
    const found = Array.from({ length }, (_, start): Match => {
      return { type, label, confidence, at: { segment: source, start, end: start + 1 } };
    });
    for (let start = 0; start < length; start += 100) {
      const run = { text: "a@b.co", start, end: start + 1 };
      const pieces = [{ start: 0, end: 6, from: run.start, to: run.end }];
      const page = { source, isDeclared: true, isJson: false, run, pieces };
      const segment = createSegment(run.text, "attachment", { pointer: "", page });
      found.push({ type, label, confidence, at: { segment, start: 0, end: 6 } });
    }
    return found;
  };

  const all = listMatches(1000);
  expect(dropRepeated(all)).toEqual(all.slice(0, 1000));
  await expectLinear(dropRepeated, listMatches);
});
