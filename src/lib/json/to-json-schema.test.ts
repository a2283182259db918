import { expect, test } from "bun:test";
import { toJsonSchema } from "./to-json-schema.ts";

test("types are in lower case at every level, and nullable is a type", () => {
  const schema = {
    type: "OBJECT",
    propertyOrdering: ["type"],
    properties: {
      type: { type: "STRING", format: "enum", enum: ["A"], nullable: true },
      list: { type: "ARRAY", minItems: "1", items: { anyOf: [{ type: "INTEGER" }] } },
    },
    required: ["type"],
  };

  expect(toJsonSchema(schema)).toEqual({
    type: "object",
    properties: {
      type: { type: ["string", "null"], enum: ["A", null] },
      list: { type: "array", minItems: 1, items: { anyOf: [{ type: "integer" }] } },
    },
    required: ["type"],
  });
});

test("JSON Schema stays as it is", () => {
  const schema = { type: ["string", "null"], $ref: "#/$defs/x", additionalProperties: false };

  expect(toJsonSchema(schema)).toEqual(schema);
});

test("a schema of any depth is converted without a stack overflow", () => {
  let schema: Record<string, unknown> = { type: "STRING" };
  for (let depth = 0; depth < 100_000; depth++) schema = { items: schema };

  expect(toJsonSchema(schema)).toHaveProperty("items");
});
