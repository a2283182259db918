/** Does what was read come back the same when nothing was typed, and as typed when something was? */
import { expect, test } from "bun:test";
import { fieldShape, type Schema, toDraft, toValues } from "./schema-draft.ts";

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
  toValues(SCHEMA, toDraft(SCHEMA, values), "settings");

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
  const draft = { ...toDraft(SCHEMA, {}), most: "" };

  expect(toValues(SCHEMA, draft, "settings").most).toBeNull();
});

test("an object in which nothing is typed is left out, unless it must be there", () => {
  const strict = { ...SCHEMA, required: ["limits"] };

  expect(toValues(SCHEMA, toDraft(SCHEMA, {}), "settings")).not.toHaveProperty("limits");
  expect(toValues(strict, toDraft(strict, {}), "settings").limits).toEqual({});
});

test("text that is not JSON is refused at its own member", () => {
  const draft = { ...toDraft(SCHEMA, {}), rules: { rows: [{ name: "one", parameters: "{" }] } };

  expect(() => toValues(SCHEMA, draft, "settings")).toThrow(
    /^settings\.rules\[0\]\.parameters: is not JSON: /,
  );
});

test("a schema that says nothing is typed as JSON", () => {
  expect(fieldShape({})).toBe("json");
  expect(fieldShape({ type: "array" })).toBe("json");
});
