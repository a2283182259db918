/** Tests that drafts of schema objects become the values that were stored or typed. */
import { expect, test } from "bun:test";
import { fieldShape, type Schema, toSchemaDraft, toValues } from "./schema-draft.ts";

const LIMIT: Schema = {
  type: "object",
  required: ["limit"],
  properties: { limit: { type: "integer" }, window: { type: "string" } },
};

const SCHEMA: Schema = {
  type: "object",
  required: ["url"],
  properties: {
    url: { type: "string", format: "uri" },
    apply_all: { type: "boolean" },
    reversible: { type: "boolean", default: false },
    threshold: { type: "number", default: 0.7 },
    max: { anyOf: [{ type: "integer" }, { type: "null" }], default: 128_000 },
    kinds: { type: "array", items: { type: "string", enum: ["a", "b"] }, default: ["a"] },
    allow_list: { type: "array", items: { type: "string" }, default: [] },
    headers: { type: "object", additionalProperties: { type: "string" } },
    rules: {
      type: "array",
      items: {
        type: "object",
        required: ["name"],
        properties: {
          name: { type: "string" },
          parameters: { type: "object", additionalProperties: {} },
        },
      },
    },
    limits: {
      type: "object",
      properties: {
        per_ip: LIMIT,
        per_user: LIMIT,
      },
    },
  },
};

const saved = (values: Record<string, unknown>) =>
  toValues(SCHEMA, toSchemaDraft(SCHEMA, values), "settings");

test("an unchanged draft returns the stored values", () => {
  const stored = {
    url: "https://a.example",
    apply_all: false,
    reversible: true,
    threshold: 0.4,
    max: null,
    kinds: ["b"],
    allow_list: ["x ", "y"],
    headers: { "x-key": "***1234" },
    rules: [
      { name: "one", parameters: { type: "object", properties: { n: {} } } },
      { name: "two" },
    ],
    limits: { per_ip: { limit: 3, window: "1m" } },
  };

  expect(saved(stored)).toEqual(stored);
});

test("an unset property is omitted, except lists, flags and limits with a default", () => {
  expect(saved({})).toEqual({
    reversible: false,
    max: 128_000,
    kinds: ["a"],
    allow_list: [],
    headers: {},
    rules: [],
  });
});

test("an emptied nullable number becomes null", () => {
  const draft = { ...toSchemaDraft(SCHEMA, {}), max: "" };

  expect(toValues(SCHEMA, draft, "settings").max).toBeNull();
});

test("an empty nested object is omitted unless it is required", () => {
  const strict = { ...SCHEMA, required: ["limits"] };

  expect(toValues(SCHEMA, toSchemaDraft(SCHEMA, {}), "settings")).not.toHaveProperty("limits");
  expect(toValues(strict, toSchemaDraft(strict, {}), "settings").limits).toEqual({});
});

test("invalid JSON is reported at its own property", () => {
  const draft = {
    ...toSchemaDraft(SCHEMA, {}),
    rules: { rows: [{ name: "one", parameters: "{" }] },
  };

  expect(() => toValues(SCHEMA, draft, "settings")).toThrow(
    /^settings\.rules\[0\]\.parameters: must be valid JSON: /,
  );
});

test("a schema without a type gets a JSON field", () => {
  expect(fieldShape({})).toBe("json");
  expect(fieldShape({ type: "array" })).toBe("json");
});
