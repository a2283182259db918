import { expect, test } from "bun:test";
import type { JsonObject } from "../../lib/json/json-object.ts";
import { parseExactJson } from "../../lib/json/parse-exact-json.ts";
import { addPartialArg, createObject } from "./add-partial-arg.ts";

const MEMBERS: Record<string, string> = {
  null: "nullValue",
  number: "numberValue",
  boolean: "boolValue",
};

const add = (...parts: [string, unknown][]) => {
  const args = createObject();
  const added = parts.map(([jsonPath, value]) => {
    const type = value === null ? "null" : typeof value;
    const member = MEMBERS[type] ?? "stringValue";
    return addPartialArg(args, { jsonPath, [member]: value });
  });
  return { args: JSON.stringify(args), added };
};

test("values are added at their paths, and texts of a path are joined", () => {
  const { args, added } = add(
    ["$.city", "Bos"],
    ["$.city", "ton"],
    ["$.count", 2],
    ["$.list[0].name", "a"],
    ["$.list[0].isNew", true],
    ["$.list[1]", null],
    [String.raw`$['a\'b']["c\u0064"]`, ""],
    ["$.__proto__.polluted", "x"],
  );

  expect(args).toBe(
    `{"city":"Boston","count":2,"list":[{"name":"a","isNew":true},null],"a'b":{"cd":""},"__proto__":{"polluted":"x"}}`,
  );
  expect(added).not.toContain(false);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test("an inherited member of parsed arguments is not a place for a value", () => {
  const args = Object.assign(createObject(), { parsed: {} });
  const paths = ["$.parsed.__proto__.polluted", "$.parsed.__proto__", "$.parsed.constructor"];

  const added = paths.map((jsonPath) => addPartialArg(args, { jsonPath, stringValue: "x" }));

  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect(added).toEqual([false, false, false]);
});

test("a member of a long integer is invalid", () => {
  const args = parseExactJson('{"a":98765432109876543}') as JsonObject;

  expect(addPartialArg(args, { jsonPath: "$.a.b", stringValue: "x" })).toBe(false);
});

test.each([
  ["no path", [["", "x"]]],
  ["the root", [["$", "x"]]],
  ["a wildcard", [["$.a[*]", "x"]]],
  ["a list that skips an element", [["$.a[1]", "x"]]],
  [
    "a list with a name",
    [
      ["$.a[0]", "x"],
      ["$.a.b", "x"],
    ],
  ],
  [
    "a member of a text",
    [
      ["$.a", "x"],
      ["$.a.b", "x"],
    ],
  ],
  [
    "another type than before",
    [
      ["$.a", "x"],
      ["$.a", 1],
    ],
  ],
  ["a path that is too deep", [[`$${".a".repeat(2000)}`, "x"]]],
  ["a path that is too long", [[`$.${"a".repeat(20_000)}`, "x"]]],
  ["no value", [["$.a", undefined]]],
  ["an object as text", [["$.a", { toString: "x" }]]],
] as [string, [string, unknown][]][])("%s is invalid", (_, parts) => {
  expect(add(...parts).added.at(-1)).toBe(false);
});
