/** Does what was read come back the same when nothing was typed, and as typed when something was? */
import { expect, test } from "bun:test";
import { draftOf, type Schema, shapeOf, valuesOf } from "./schema-draft.ts";

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
    most: { anyOf: [{ type: "integer" }, { type: "null" }], default: 128_000 },
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
  valuesOf(SCHEMA, draftOf(SCHEMA, values), "settings");

test("what is stored comes back unchanged", () => {
  const stored = {
    url: "https://a.example",
    apply_all: false,
    reversible: true,
    threshold: 0.4,
    most: null,
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

test("what was never said is left to the server, but for lists, flags and limits that show their default", () => {
  expect(saved({})).toEqual({
    reversible: false,
    most: 128_000,
    kinds: ["a"],
    allow_list: [],
    headers: {},
    rules: [],
  });
});

test("a limit that was emptied is no limit", () => {
  const draft = { ...draftOf(SCHEMA, {}), most: "" };

  expect(valuesOf(SCHEMA, draft, "settings").most).toBeNull();
});

test("an object in which nothing is typed is left out, unless it must be there", () => {
  const strict = { ...SCHEMA, required: ["limits"] };

  expect(valuesOf(SCHEMA, draftOf(SCHEMA, {}), "settings")).not.toHaveProperty("limits");
  expect(valuesOf(strict, draftOf(strict, {}), "settings").limits).toEqual({});
});

test("text that is not JSON is refused at its own member", () => {
  const draft = { ...draftOf(SCHEMA, {}), rules: { rows: [{ name: "one", parameters: "{" }] } };

  expect(() => valuesOf(SCHEMA, draft, "settings")).toThrow(
    /^settings\.rules\[0\]\.parameters: is not JSON: /,
  );
});

test("a schema that says nothing is typed as JSON", () => {
  expect(shapeOf({})).toBe("json");
  expect(shapeOf({ type: "array" })).toBe("json");
});
