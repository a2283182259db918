import { expect, test } from "bun:test";
import type { DetectorServices, InspectionContext, Match } from "../detector.ts";
import { createSegment } from "../segment.ts";
import { http } from "./http.ts";

const TEXTS = [
  createSegment("be nice", "system", { pointer: "/messages/0/content", role: "system" }),
  createSegment("my 😀 name", "user", { pointer: "/messages/1/content", role: "user" }),
];
const SETTINGS = { url: "https://detector.example/v1", headers: { "x-key": "s3cret" } };

async function inspectWith(response: unknown, settings: object = {}, texts = TEXTS) {
  const requests: unknown[] = [];
  const post: DetectorServices["post"] = async (request) => {
    requests.push(request);
    return response;
  };
  const inspect = http.prepare({ ...SETTINGS, ...settings });
  const context = { direction: "input", protocol: "llm", services: { post } };
  const matches = (await inspect(texts, context as unknown as InspectionContext)) as Match[];
  return { matches, requests };
}

test("the request contains every text with its source and role", async () => {
  const { requests } = await inspectWith(
    { flagged: false },
    { timeout_ms: 500, allow_private: true },
  );

  expect(requests).toEqual([
    {
      url: "https://detector.example/v1",
      headers: { "x-key": "s3cret" },
      timeout_ms: 500,
      allow_private: true,
      body: {
        direction: "input",
        protocol: "llm",
        texts: [
          { index: 0, source: "system", role: "system", text: "be nice" },
          { index: 1, source: "user", role: "user", text: "my 😀 name" },
        ],
      },
    },
  ]);
});

test("without text, no request is sent", async () => {
  expect((await inspectWith({ flagged: true }, {}, [])).requests).toEqual([]);
});

test("returned matches get a location and a mask", async () => {
  const response = {
    matches: [{ text: 1, start: 6, end: 10, label: "word", type: "custom", confidence: 0.7 }],
  };

  expect((await inspectWith(response, { mask_with: "[X]" })).matches).toEqual([
    {
      label: "word",
      type: "custom",
      confidence: 0.7,
      at: { segment: TEXTS[1] as never, start: 6, end: 10 },
      mask: { text: "[X]" },
    },
  ]);
});

test.each([
  [{ flagged: true }, [{ label: "flagged", type: "http_detector", confidence: 1 }]],
  [
    { flagged: true, label: "rude", type: "tone", confidence: 0.4 },
    [{ label: "rude", type: "tone", confidence: 0.4 }],
  ],
  [{ flagged: false, confidence: 0.9 }, []],
  [{ matches: [] }, []],
])("the response %j becomes the matches %j", async (response, matches) => {
  expect((await inspectWith(response)).matches).toEqual(matches);
});

const at = (start: number, end: number, text = 1) => ({
  matches: [{ text, start, end, label: "x" }],
});

test.each<[unknown, string]>([
  [null, "It"],
  ["text", "It"],
  [[], "It"],
  [{}, "flagged"],
  [{ flagged: "yes" }, "flagged"],
  [{ flagged: true, extra: 1 }, "unknown members"],
  [{ flagged: true, confidence: 2 }, "confidence"],
  [{ flagged: true, label: "ada@example.com" }, "label"],
  [{ matches: "none" }, "matches"],
  [{ matches: [{ text: 0 }] }, "matches.0.start"],
  [{ matches: Array(1001).fill(at(0, 1).matches[0]) }, "matches"],
  [at(0, 1, 2), "no text with index 2"],
  [at(0, 11), "0 to 11 is not a valid range"],
  [at(3, 3), "3 to 3 is not a valid range"],
  [at(5, 3), "5 to 3 is not a valid range"],
  [at(-1, 3), "matches.0.start"],
  [at(0.5, 3), "matches.0.start"],
  [at(0, 4), "0 to 4 is not a valid range"],
  [at(4, 6), "4 to 6 is not a valid range"],
])("an invalid response is rejected with its location (case %#)", async (response, problem) => {
  const message = inspectWith(response).catch((error: Error) => error.message);

  expect(await message).toContain("The detector's response is invalid.");
  expect(await message).toContain(problem);
  expect(await message).not.toContain("ada@");
});

test.each([
  { url: "ftp://x.example" },
  { url: "https://user:word@x.example" },
  { timeout_ms: 10_001 },
  { headers: { host: "x" } },
  { mask_with: "two\nlines" },
  { extra: true },
])("the settings %j are rejected", (settings) => {
  expect(http.settings.safeParse({ ...SETTINGS, ...settings }).success).toBe(false);
});
