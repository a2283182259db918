import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import type { InspectionContext, Match } from "../detector.ts";
import { createSegment } from "../segment.ts";
import { promptModeration } from "./prompt-moderation.ts";

function inspect(settings: object, text: string): readonly Match[] {
  const inspect = promptModeration.prepare(settings);
  const of = createSegment(text, "user", { pointer: "/input" });
  return inspect([of], {} as InspectionContext) as readonly Match[];
}
const found = (settings: object, text: string) =>
  inspect(settings, text).map(({ at }) => text.slice(at?.start, at?.end));

test.each([
  ["whole words in any case", "BOMB bombastic a-bomb", ["BOMB", "bomb"]],
  ["phrases", "the Project  falcon, project falcon", ["project falcon"]],
  ["look-alike letters", "a bоmb", ["bоmb"]],
  ["invisible characters inside", "a bo\u200bmb", ["bo\u200bmb"]],
  ["full-width letters", "ａ ｂｏｍｂ", ["ｂｏｍｂ"]],
  ["digits for letters", "a b0mb", ["b0mb"]],
  ["signs at the end of a keyword", "C++ and C", ["C++"]],
  ["scripts without spaces", "我的爆炸物在", ["爆炸物"]],
])("keywords match %s", (_, text, expected) => {
  expect(found({ keywords: ["bomb", "project falcon", "c++", "爆炸物"] }, text)).toEqual(expected);
});

test.each([
  ["base64", btoa("the plan of project falcon")],
  ["hex", Buffer.from("project falcon").toString("hex")],
  ["percent signs", "%70roject%20falco%6e"],
  ["entities of HTML", "&#112;roject fal&#x63;on"],
])("keywords and patterns are found in %s, at their location in the text", (_, encoded) => {
  for (const settings of [{ keywords: ["project falcon"] }, { regex: ["project falcon"] }]) {
    expect(found(settings, `see ${encoded} now`)).toEqual([encoded]);
  }
});

test("digits match letters only if leetspeak is true", () => {
  expect(found({ keywords: ["bomb"], leetspeak: false }, "a b0mb")).toEqual([]);
});

test("misspelled keywords match only below a similarity of 1, with lower confidence", () => {
  expect(found({ keywords: ["explosive"] }, "explosiwe")).toEqual([]);

  const [match] = inspect({ keywords: ["explosive"], similarity_threshold: 0.8 }, "explosiwe");

  expect(match?.confidence).toBeCloseTo(8 / 9);
});

test("patterns ignore case by default, and ignore invisible characters", () => {
  expect(found({ regex: ["PRJ-\\d{3}"] }, "prj-123 P\u200bRJ-456")).toEqual([
    "prj-123",
    "P\u200bRJ-456",
  ]);
  expect(found({ regex: ["PRJ-\\d{3}"], ignore_case: false }, "prj-123")).toEqual([]);
});

test("a match has its rule and its index in the list, never its text", () => {
  expect(inspect({ keywords: ["x", "bomb"], mask_with: "#" }, "a bomb")).toMatchObject([
    { label: "keyword", type: "keyreg", confidence: 1, mask: { text: "#" }, detail: { index: 1 } },
  ]);
});

test("the longest of overlapping matches wins, and a match is split at line breaks", () => {
  expect(found({ keywords: ["falcon", "project falcon"] }, "project falcon")).toEqual([
    "project falcon",
  ]);
  expect(found({ regex: ["a\\nb"] }, "a\nb")).toEqual(["a", "b"]);
});

test("an invalid pattern is rejected with the reason", () => {
  const rejected = promptModeration.settings.safeParse({ regex: ["ok", "a(?=b)"] });

  expect(rejected.error?.issues).toMatchObject([
    { path: ["regex", 1], message: expect.stringContaining("look-around") },
  ]);
});

/** Keywords and adversarial texts. */
export const HOSTILE: readonly [keywords: readonly string[], unit: string][] = [
  [["a", "aa", "aaa", "aaaa", "aaaaaaaa"], "a"],
  [["aaaaaaaaaaaaaaaaaaaaaaaab"], "a"],
  [["weapon", "poison", "explosive"], "weapom poisom "],
  [["ab ab ab ab ab ac"], "ab "],
];

test.each(HOSTILE)("keywords %p are searched in linear time", async (keywords, unit) => {
  const inspect = promptModeration.prepare({ keywords, similarity_threshold: 0.7 });
  const run = (text: string) =>
    inspect([createSegment(text, "user", { pointer: "/input" })], {} as InspectionContext);

  await expectLinear(run, (length) => unit.repeat(length / unit.length));
});
