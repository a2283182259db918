/** Values made for a schema are judged by a validator that knows nothing of how they were made. */
import { expect, test } from "bun:test";
import { z } from "zod";
import { sampleSchema } from "./sample-schema.ts";

const Node = {
  $ref: "#/$defs/node",
  $defs: {
    node: {
      type: "object",
      properties: {
        name: { type: "string" },
        next: { anyOf: [{ type: "null" }, { $ref: "#/$defs/node" }] },
      },
      required: ["name", "next"],
    },
  },
};

test.each([
  [{ type: "string", minLength: 10, maxLength: 12 }],
  [{ type: "string", maxLength: 2 }],
  [{ type: "string", format: "email" }],
  [{ type: "string", format: "date-time" }],
  [{ type: "string", format: "uuid" }],
  [{ type: "integer", minimum: 5, maximum: 6 }],
  [{ type: "integer", exclusiveMaximum: 0 }],
  [{ type: "integer", exclusiveMinimum: 3, multipleOf: 4 }],
  [{ type: "number", exclusiveMinimum: 0, maximum: 0.5 }],
  [{ type: ["null", "integer"] }],
  [{ enum: [3, "x"] }],
  [{ const: "x" }],
  [{ type: "array", items: { type: "boolean" }, minItems: 3 }],
  [{ oneOf: [{ type: "integer" }, { type: "string" }] }],
  [{ type: "object", properties: { a: { type: "null" } }, required: ["a"] }],
  [Node],
])("a value made for %j fits it", (schema) => {
  const value = sampleSchema(schema, 'Take "some words" and 42 and -1.5');

  // The table's rows have different members; the validator's parameter is one closed type.
  expect(z.fromJSONSchema(schema as z.core.JSONSchema.JSONSchema).safeParse(value).success).toBe(
    true,
  );
});

test("parts joined by allOf are filled together, references followed", () => {
  const schema = {
    allOf: [
      { $ref: "#/$defs/named" },
      { properties: { age: { type: "integer" } }, required: ["age"] },
    ],
    $defs: { named: { properties: { name: { type: "string" } }, required: ["name"] } },
  };

  expect(sampleSchema(schema, '"Ann" is 7')).toEqual({ name: "Ann", age: 7 });
});

test("quoted texts and numbers of the message are used in order, then placeholders", () => {
  const text = { type: "string" };
  const number = { type: "number" };
  const schema = { properties: { a: text, x: number, b: text, y: number, c: text } };

  expect(sampleSchema(schema, 'Move "here" to "there" by -2.5')).toEqual({
    a: "here",
    x: -2.5,
    b: "there",
    y: 1,
    c: "demo",
  });
});

test("only required members are filled where some are required", () => {
  const schema = { properties: { a: { type: "string" }, b: { type: "string" } }, required: ["b"] };

  expect(sampleSchema(schema, "")).toEqual({ b: "demo" });
});

const self = { $ref: "#" };
const filler = "x".repeat(10_000);

test.each([
  ["contains itself many times over", { properties: { a: self, b: self, c: { items: self } } }],
  ["asks for a billion items", { type: "array", items: { type: "null" }, minItems: 1e9 }],
  ["asks for a giant text", { type: "string", minLength: 1e9 }],
  [
    "repeats a long default",
    {
      type: "array",
      items: { $ref: "#/$defs/d" },
      minItems: 1e6,
      $defs: { d: { default: filler } },
    },
  ],
  ["requires long names", { items: { properties: { [filler]: self } }, minItems: 1e6 }],
  ["is itself giant", { default: filler.repeat(20) }],
])("a schema that %s produces a small value quickly", (_, schema) => {
  const started = performance.now();

  const value = sampleSchema(schema, "");

  expect(JSON.stringify(value).length).toBeLessThan(64_000);
  expect(performance.now() - started).toBeLessThan(4000);
});

test("a closed range between two whole numbers or inside a step is kept to", () => {
  const low = { type: "integer", minimum: 2.5, maximum: 4 };
  const narrow = { type: "number", minimum: 0.1234, maximum: 0.1235 };

  expect(sampleSchema(low, "1")).toBe(3);
  expect(sampleSchema(narrow, "9")).toBe(0.1235);
});
