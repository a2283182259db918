import { expect, test } from "bun:test";
import { createSegment } from "../segment.ts";
import { applyMasks } from "./apply-masks.ts";

/** Masks the spans; each mask contains the text it replaces. */
const mask = (text: string, ...spans: [start: number, end: number, name: string][]) => {
  const whole = createSegment(text, "user", { pointer: "/input" });
  const matches = spans.map(([start, end, pseudonym]) => ({
    ...{ type: "pii", label: "any", confidence: 1 },
    at: { segment: whole, start, end },
    mask: { pseudonym },
  }));
  return applyMasks(matches, (name, original) => `${name}(${original})`).map(({ text }) => text);
};

test("JSON text is valid JSON after masking, including duplicate members and signed numbers", () => {
  const text = '{"a": -4111, "a": [4111.0, "4111"]}';
  const at = (from: number) => text.indexOf("4111", from);
  const spans = [at(0), at(10), at(25)].map((start): [number, number, string] => [
    start,
    start + 4,
    '"',
  ]);

  expect(mask(text, ...spans)).toEqual([
    String.raw`{"a": "\"(-4111)", "a": ["\"(4111.0)", "\"(4111)"]}`,
  ]);
});

test("the original of a value in JSON text is without the escapes of JSON", () => {
  const text = String.raw`{"key": "-----BEGIN\nM\"E\\-----", "b": 1}`;
  const value = String.raw`-----BEGIN\nM\"E\\-----`;
  const start = text.indexOf(value);
  const originals: string[] = [];
  const segment = createSegment(text, "user", { pointer: "/input" });
  const at = { segment, start, end: start + value.length };
  const match = { type: "pii", label: "any", confidence: 1, at, mask: { pseudonym: "KEY" } };

  applyMasks([match], (_, original) => {
    originals.push(original);
    return "<KEY>";
  });

  expect(originals).toEqual(['-----BEGIN\nM"E\\-----']);
});

test("text with more than 10,000 matches is masked completely", () => {
  const spans = Array.from({ length: 12_000 }, (_, at): [number, number, string] => [
    2 * at,
    2 * at + 1,
    "x",
  ]);

  expect(mask("ab".repeat(12_000), ...spans)).toEqual(["x(a)b".repeat(12_000)]);
});

test("overlapping matches are masked completely and without repetition", () => {
  expect(mask("0123456789", [2, 6, "A"], [4, 8, "B"])).toEqual(["01A(2345)B(67)89"]);
  expect(mask("0123456789", [2, 8, "A"], [4, 6, "B"])).toEqual(["01A(234567)89"]);
  expect(mask("0123456789", [6, 8, "B"], [2, 4, "A"])).toEqual(["01A(23)45B(67)89"]);
});
