import { expect, test } from "bun:test";
import type { Finding } from "../../contract/guard/evaluate.ts";
import { findHighlights, splitByHighlights } from "./find-highlights.ts";

const finding = (action: "block" | "report", ...places: object[]): Finding => ({
  source: { kind: "detector", policy_id: "p", policy_version: 1 },
  signal: { type: "pii", confidence: 1 },
  outcome: { action },
  evidence: { places: places.map((place) => ({ pointer: "/input", ...place })) },
});
const stored = (text: string, masked?: true) => ({
  pointer: "/input",
  inner: null,
  source: "user",
  role: null,
  text,
  ...(masked && { masked }),
});
/** Returns the highlighted texts with their labels. */
const shown = (text: string, findings: Finding[], masked?: true) =>
  findHighlights([stored(text, masked)], findings)
    .flat()
    .map(({ start, end, label, action }) => [text.slice(start, end), label, action]);

const MAIL = { label: "email", type: "pii", start: 3, end: 10 };
const SQL = { label: "sql", type: "injection", start: 15, end: 19 };

test("findings are located in the text that they refer to", () => {
  const text = "to a@b.com and DROP";

  expect(shown(text, [finding("block", MAIL), finding("report", SQL)])).toEqual([
    ["a@b.com", "email", "block"],
    ["DROP", "sql", "report"],
  ]);
  expect(shown("short", [finding("block", MAIL, { pointer: "/other", start: 0, end: 2 })])).toEqual(
    [],
  );
});

test("the encoding of decoded text, which an approver sees beside it, is not highlighted", () => {
  const prefix = { ...stored("data:text/html;base64,#46b2ee2d"), source: "value" };

  const [text, encoding] = findHighlights([stored("to a@b.com"), prefix], [finding("block", MAIL)]);

  expect([text?.length, encoding?.length]).toEqual([1, 0]);
});

test("in a masked text, the mask and the findings after it are located", () => {
  const text = "to [MASKED_EMAIL] and DROP";

  expect(shown(text, [finding("block", MAIL), finding("report", SQL)], true)).toEqual([
    ["[MASKED_EMAIL]", "email", "block"],
    ["DROP", "sql", "report"],
  ]);
});

test("a mask without a finding is located, and findings after it are not", () => {
  const text = "to [MASKED_EMAIL] and DROP";
  const before = { label: "word", type: "keyreg", start: 0, end: 2 };

  expect(shown(text, [finding("report", SQL, before)], true)).toEqual([
    ["to", "word", "report"],
    ["[MASKED_EMAIL]", "masked", null],
  ]);
});

test("overlapping and nested highlights are split, and the most restrictive comes first", () => {
  const parts = splitByHighlights(10, [
    { start: 0, end: 6, label: "outer", action: "report" },
    { start: 2, end: 8, label: "inner", action: "block" },
  ]);

  expect(
    parts.map(({ start, end, highlights, ending }) => [
      start,
      end,
      highlights.map(({ label }) => label).join(),
      ending.map(({ label }) => label).join(),
    ]),
  ).toEqual([
    [0, 2, "outer", ""],
    [2, 6, "inner,outer", "outer"],
    [6, 8, "inner", "inner"],
    [8, 10, "", ""],
  ]);
});
