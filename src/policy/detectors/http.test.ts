import { expect, test } from "bun:test";
import type { DetectorServices, InspectionContext, Match } from "../detector.ts";
import { createSegment } from "../segment.ts";
import { http } from "./http.ts";

const TEXTS = [
  createSegment("be nice", "system", { pointer: "/messages/0/content", role: "system" }),
  createSegment("my 😀 name", "user", { pointer: "/messages/1/content", role: "user" }),
];
const SETTINGS = { url: "https://detector.example/v1", headers: { "x-key": "s3cret" } };

async function ask(answer: unknown, settings: object = {}, texts = TEXTS) {
  const asked: unknown[] = [];
  const post: DetectorServices["post"] = async (request) => {
    asked.push(request);
    return answer;
  };
  const inspect = http.prepare({ ...SETTINGS, ...settings });
  const surroundings = { direction: "input", protocol: "llm", services: { post } };
  const matches = (await inspect(texts, surroundings as unknown as InspectionContext)) as Match[];
  return { matches, asked };
}

test("it is sent every text with its place in the conversation", async () => {
  const { asked } = await ask({ flagged: false }, { timeout_ms: 500, allow_private: true });

  expect(asked).toEqual([
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

test("where there is no text, nobody is asked", async () => {
  expect((await ask({ flagged: true }, {}, [])).asked).toEqual([]);
});

test("its matches get a place and a mask", async () => {
  const answer = {
    matches: [{ text: 1, start: 6, end: 10, label: "word", type: "custom", confidence: 0.7 }],
  };

  expect((await ask(answer, { mask_with: "[X]" })).matches).toEqual([
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
])("the answer %j finds %j", async (answer, matches) => {
  expect((await ask(answer)).matches).toEqual(matches);
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
  [at(0, 1, 2), "no text 2"],
  [at(0, 11), "no part from 0 to 11"],
  [at(3, 3), "no part from 3 to 3"],
  [at(5, 3), "no part from 5 to 3"],
  [at(-1, 3), "matches.0.start"],
  [at(0.5, 3), "matches.0.start"],
  [at(0, 4), "no part from 0 to 4"],
  [at(4, 6), "no part from 4 to 6"],
])("the answer %j is a failure that says where: %s", async (answer, where) => {
  const failed = ask(answer).catch((error: Error) => error.message);

  expect(await failed).toContain("not of the documented form");
  expect(await failed).toContain(where);
  expect(await failed).not.toContain("ada@");
});

test.each([
  { url: "ftp://x.example" },
  { url: "https://user:word@x.example" },
  { timeout_ms: 10_001 },
  { headers: { host: "x" } },
  { mask_with: "two\nlines" },
  { extra: true },
])("the settings %j are refused", (settings) => {
  expect(http.settings.safeParse({ ...SETTINGS, ...settings }).success).toBe(false);
});
