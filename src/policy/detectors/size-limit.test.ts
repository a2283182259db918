import { expect, test } from "bun:test";
import type { InspectionContext } from "../detector.ts";
import { createSegment } from "../segment.ts";
import { sizeLimit } from "./size-limit.ts";

const find = (settings: object, texts: string[], payload_bytes = 0) =>
  sizeLimit.prepare(settings)(
    texts.map((text) => createSegment(text, "user", { pointer: "/input" })),
    { payload_bytes } as InspectionContext,
  );

test.each<[object, string[], number, unknown[]]>([
  [{}, ["hello"], 5, []],
  [{}, ["a".repeat(512_000)], 0, []],
  [{}, ["a".repeat(512_001)], 0, [{ label: "tokens", detail: { limit: 128_000, size: 128_001 } }]],
  [{ max_tokens: null }, ["a".repeat(512_001)], 0, []],
  [{ max_tokens: 2 }, ["日本語"], 0, [{ label: "tokens", detail: { limit: 2, size: 3 } }]],
  [{ max_characters: 4 }, ["ab", "cd"], 0, []],
  [
    { max_characters: 3 },
    ["ab", "cd"],
    0,
    [{ label: "characters", detail: { limit: 3, size: 4 } }],
  ],
  [{ max_payload_bytes: 9 }, [], 10, [{ label: "payload_bytes", detail: { limit: 9, size: 10 } }]],
  [{ max_payload_bytes: 10 }, [], 10, []],
])("the limits %j are applied (case %#)", (settings, texts, bytes, expected) => {
  const found = find(settings, texts, bytes);

  expect(found).toMatchObject(expected);
  expect(found).toHaveLength(expected.length);
});

test("the signal is size_exceeded with confidence 1", () => {
  expect(find({ max_characters: 1 }, ["ab"])).toMatchObject([
    { type: "size_exceeded", confidence: 1 },
  ]);
});
