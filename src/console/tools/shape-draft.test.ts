/** Tests that drafts of JSON Schemas keep every keyword, and write what was entered. */
import { expect, test } from "bun:test";
import {
  changeType,
  newShape,
  toArgumentsDraft,
  toArgumentsSchema,
  toShapeDraft,
} from "./shape-draft.ts";

const SCHEMAS: [string, unknown][] = [
  ["nothing", {}],
  ["only a type", { type: "object" }],
  ["no type", { properties: { a: {} }, required: ["a"] }],
  [
    "every field",
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      additionalProperties: false,
      required: ["query", "absent"],
      type: "object",
      properties: {
        query: { minLength: 1, type: "string", maxLength: 20, pattern: "^a", description: "A\nb" },
        unit: { type: "string", enum: ["C", "F"] },
        limit: { type: "integer", minimum: 1, maximum: 10, default: 5 },
        level: { type: "number", enum: [0.5, 1] },
        tags: { type: "array", items: { type: "string" }, minItems: 1 },
        plain: { type: "array" },
        filter: {
          type: "object",
          properties: { on: { type: "boolean" }, any: {} },
          additionalProperties: true,
        },
      },
    },
  ],
  [
    "parts without fields",
    {
      type: "object",
      $defs: { id: { type: "string" } },
      properties: {
        id: { $ref: "#/$defs/id" },
        either: { description: "x", oneOf: [{ type: "string" }, { type: "null" }] },
        many: { type: ["string", "null"] },
        mixed: { type: "string", enum: ["a", null], format: "uri", description: "" },
        lines: { type: "string", enum: ["a\nb"], pattern: "a\nb", minLength: "1" },
        map: { type: "object", additionalProperties: { type: "number" } },
        tuple: { type: "array", items: [{ type: "string" }] },
        yes: true,
        no: false,
        odd: { type: "object", properties: 3 },
        google: { type: "STRING" },
      },
    },
  ],
  ["alternatives", { oneOf: [{ type: "object" }] }],
  ["no object", { type: "array", items: { $ref: "#" } }],
];

test.each(SCHEMAS)("an unchanged schema is saved exactly: %s", (_, schema) => {
  expect(JSON.stringify(toArgumentsSchema(toArgumentsDraft(schema), "schema"))).toBe(
    JSON.stringify(schema),
  );
});

test("a changed field keeps the other keywords, and a new parameter is added", () => {
  const stored = { title: "Search", type: "object", properties: { a: { type: "string" } } };
  const draft = toArgumentsDraft(stored);
  const [a] = draft.parameters;
  const limit = { ...newShape("integer"), texts: { minimum: "1", enum: " 1\n\n2 " } };
  const changed = {
    ...draft,
    isClosed: true,
    parameters: [
      { name: "b", required: true, shape: { ...(a?.shape ?? limit), other: '{"format":"uri"}' } },
      { name: "limit", required: false, shape: limit },
    ],
  };

  expect(toArgumentsSchema(changed, "schema")).toEqual({
    title: "Search",
    type: "object",
    properties: {
      b: { type: "string", format: "uri" },
      limit: { type: "integer", enum: [1, 2], minimum: 1 },
    },
    required: ["b"],
    additionalProperties: false,
  });
});

test("a schema of alternatives gets a type, and keeps the alternatives", () => {
  const draft = toShapeDraft({ oneOf: [{ minLength: 1 }] });

  expect(toArgumentsSchema(changeType(draft, "string"), "schema")).toEqual({
    oneOf: [{ minLength: 1 }],
    type: "string",
  });
  expect(changeType({ ...draft, other: "{" }, "string")).toEqual({ ...draft, other: "{" });
});

test("invalid fields are reported with their path", () => {
  const parameter = (name: string, shape = newShape("number")) => ({
    name,
    required: false,
    shape,
  });
  const write = (...parameters: ReturnType<typeof parameter>[]) =>
    toArgumentsSchema({ ...newShape("object"), parameters }, "schema");

  expect(() => write(parameter("a"), parameter("a"))).toThrow(
    "schema.parameters[1].name: must be unique; another one has this name",
  );
  expect(() => write(parameter("a", { ...newShape("number"), texts: { enum: "x" } }))).toThrow(
    "schema.parameters[0].enum: must be numbers, one per line",
  );
  expect(() => write(parameter("a", { ...newShape("any"), other: "[]" }))).toThrow(
    "schema.parameters[0].other: must be a JSON object",
  );
});
