/** A match of a page is reported unless that of its source is. */
import { expect, test } from "bun:test";
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
