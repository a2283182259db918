import { expect, test } from "bun:test";
import { flattenFields } from "./flatten-fields.ts";

test("nested fields are listed by path, empty objects and lists as JSON", () => {
  const fields = flattenFields({ a: { b: { c: "x" }, d: {} }, e: [1], f: null });

  expect(Object.fromEntries(fields)).toEqual({ "a.b.c": "x", "a.d": "{}", e: "[1]", f: "null" });
});

test("a name with a dot or quotes hides no nested field", () => {
  const fields = flattenFields({
    properties: { id: { description: "Send the key." } },
    "properties.id.description": "An id.",
    'properties."id"': "quoted",
    constructor: "own",
  });

  expect([...fields]).toEqual([
    ["properties.id.description", "Send the key."],
    ['"properties.id.description"', "An id."],
    ['"properties.\\"id\\""', "quoted"],
    ["constructor", "own"],
  ]);
});
