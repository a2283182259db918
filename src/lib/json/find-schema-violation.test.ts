import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import { findSchemaViolation } from "./find-schema-violation.ts";
import { startSchemaWork } from "./schema-work.ts";

const PERSON = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 2, pattern: "^[A-Z]" },
    age: { type: "integer", minimum: 0, maximum: 150 },
    role: { enum: ["admin", "user", null] },
    tags: { type: "array", items: { type: "string" }, maxItems: 2 },
    boss: { $ref: "#" },
    home: { type: "object", properties: { "zip/code": { type: "string" } } },
    extra: { type: "object", additionalProperties: { type: "number" } },
  },
  required: ["name"],
  additionalProperties: false,
};

test.each([
  [{ name: "Ada" }],
  [{ name: "Ada", age: 36, role: null, tags: ["a", "b"] }],
  [{ name: "Ada", boss: { name: "Bo", boss: { name: "Cy" } } }],
  [{ name: "Ada", home: { "zip/code": "1", more: true }, extra: { a: 1 } }],
])("%j is valid", (value) => {
  expect(findSchemaViolation(PERSON, value)).toBeUndefined();
});

test.each([
  ["text", "type", ""],
  [null, "type", ""],
  [[], "type", ""],
  [{}, "required", "/name"],
  [{ name: 1 }, "type", "/name"],
  [{ name: "A" }, "minLength", "/name"],
  [{ name: "ada" }, "pattern", "/name"],
  [{ name: "Ada", age: 1.5 }, "type", "/age"],
  [{ name: "Ada", age: -1 }, "minimum", "/age"],
  [{ name: "Ada", age: 151 }, "maximum", "/age"],
  [{ name: "Ada", role: "root" }, "enum", "/role"],
  [{ name: "Ada", tags: ["a", 2] }, "type", "/tags/1"],
  [{ name: "Ada", tags: ["a", "b", "c"] }, "maxItems", "/tags"],
  [{ name: "Ada", boss: { age: 1 } }, "required", "/boss/name"],
  [{ name: "Ada", home: { "zip/code": 1 } }, "type", "/home/zip~1code"],
  [{ name: "Ada", "secret@example.com": 1 }, "additionalProperties", ""],
  [{ name: "Ada", extra: { "secret@example.com": "x" } }, "type", "/extra/*"],
])("%j violates %s at %j", (value, keyword, pointer) => {
  expect(findSchemaViolation(PERSON, value)).toEqual({ keyword, pointer });
});

test.each<[unknown, unknown, string | undefined]>([
  [{ anyOf: [{ type: "string" }, { type: "number" }] }, 1, undefined],
  [{ anyOf: [{ type: "string" }, { type: "number" }] }, true, "anyOf"],
  [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, "oneOf"],
  [{ oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 1, undefined],
  [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, 3, "maximum"],
  [{ not: { type: "string" } }, "x", "not"],
  [{ const: { a: [1] } }, { a: [1] }, undefined],
  [{ const: { a: [1] } }, { a: [2] }, "const"],
  [{ enum: [{ a: 1 }] }, { a: 1 }, undefined],
  [{ type: "STRING", nullable: true }, null, undefined],
  [{ type: ["string", "null"] }, null, undefined],
  [{ type: "OBJECT" }, {}, undefined],
  [{ exclusiveMinimum: 1 }, 1, "exclusiveMinimum"],
  [{ maxLength: 1 }, "😀", undefined],
  [{ required: ["toString"] }, {}, "required"],
  [{ properties: { __proto__: { type: "string" } } }, {}, undefined],
  [{ $ref: "#/$defs/id", $defs: { id: { type: "string" } } }, 1, "type"],
  [{ $ref: "https://example.com/schema" }, 1, undefined],
  [{ pattern: "(?<=a)b" }, "c", undefined],
  [{ unknownKeyword: 1 }, 1, undefined],
  [{ properties: "none", required: "all", enum: 3, items: null }, { a: 1 }, undefined],
  [true, 1, undefined],
  [false, 1, "false"],
  [undefined, 1, undefined],
  ["text", 1, undefined],
])("the schema %j and %j: %p", (schema, value, keyword) => {
  expect(findSchemaViolation(schema, value)?.keyword).toBe(keyword);
});

test.each([
  ["a reference to itself", { $ref: "#" }],
  ["circular references", { $ref: "#/a", a: { $ref: "#/b" }, b: { $ref: "#/a" } }],
  ["alternatives of itself", { anyOf: [{ $ref: "#" }, { $ref: "#" }] }],
  ["a negation of itself", { not: { anyOf: [{ $ref: "#" }, { $ref: "#" }, { $ref: "#" }] } }],
])("checking %s ends, with a violation or as too complex", (_, schema) => {
  expect(findSchemaViolation(schema, 1)).toBeDefined();
});

const LIST = Array.from({ length: 10_000 }, (_, index) => `name${index}`);
const repeat = (schema: object) => ({
  $defs: { all: schema },
  allOf: Array(1000).fill({ $ref: "#/$defs/all" }),
});
test.each<[string, object, unknown]>([
  ["a long list of values", { enum: [...LIST, "a"] }, "a"],
  ["a long list of types", { type: [...LIST, "string"] }, "a"],
  ["a large value", { not: { const: [...LIST, 1] } }, [...LIST, 2]],
  ["many required members", { required: LIST.map(() => "a") }, { a: 1 }],
  ["many properties", { properties: Object.fromEntries(LIST.map((name) => [name, {}])) }, { a: 1 }],
  ["many members", { minProperties: 1 }, Object.fromEntries(LIST.map((name) => [name, 1]))],
  ["a long text", { minLength: 1 }, "a".repeat(100_000)],
])("repeated checks of %s are too complex, one is not", (_, schema, value) => {
  expect(findSchemaViolation(schema, value)).toBeUndefined();
  expect(findSchemaViolation(repeat(schema), value)?.keyword).toBe("complexity");
});

test.each([
  ["large", (index: number) => `a?[\\p{L}${index}]?`, "complexity"],
  ["unsupported", (index: number) => `(?<=a)${index}`, "complexity"],
  ["small", (index: number) => `^[a-z]*-?(${index})?$`, undefined],
])("200 %s patterns: %p", (_, toPattern, keyword) => {
  const allOf = Array.from({ length: 200 }, (_, index) => ({ pattern: toPattern(index) }));

  expect(findSchemaViolation({ allOf }, "")?.keyword).toBe(keyword);
});

test("many calls of an evaluation are too complex together", () => {
  const work = startSchemaWork();
  const value = Array(15_000).fill(1);
  const keywords = Array.from(
    { length: 20 },
    () => findSchemaViolation({ items: { type: "number" } }, value, work)?.keyword,
  );

  expect(keywords[0]).toBeUndefined();
  expect(keywords.at(-1)).toBe("complexity");
});

test("a pattern that is exponential in other engines takes linear time", async () => {
  const check = (text: string) =>
    expect(findSchemaViolation({ pattern: "^(a+)+$" }, text)?.keyword).toBe("pattern");

  await expectLinear(check, (length) => `${"a".repeat(length)}!`);
});
