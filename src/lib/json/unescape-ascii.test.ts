import { expect, test } from "bun:test";
import { unescapeAscii } from "./unescape-ascii.ts";

test.each([
  ["plain é", "plain é"],
  [String.raw`a\u005fb\u006F\u005F`, "a_bo_"],
  [String.raw`\n\u4e00`, String.raw`\n\u4e00`],
  [String.raw`a\u00`, "a\0"],
])("%s", (json, decoded) => {
  expect(Buffer.from(unescapeAscii(Buffer.from(json))).toString()).toBe(decoded);
});

test("16 MiB of escapes take less than half a second", () => {
  const json = Buffer.from("\\u0041".repeat(2_700_000));
  const began = Bun.nanoseconds();

  expect(unescapeAscii(json).length).toBe(2_700_000);
  expect(Bun.nanoseconds() - began).toBeLessThan(5e8);
});
