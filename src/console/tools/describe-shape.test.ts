/** Tests that schemas and their changes are described in words, at every depth. */
import { expect, test } from "bun:test";
import { describeSettings } from "../policies/describe-settings.ts";
import { describeSchemaChanges } from "./describe-schema-changes.ts";
import { describeArguments } from "./describe-shape.ts";
import { toArgumentsDraft } from "./shape-draft.ts";

const SEARCH = {
  type: "object",
  required: ["query"],
  additionalProperties: false,
  properties: {
    query: { type: "string", minLength: 1, maxLength: 20, pattern: "^a" },
    limit: { type: "integer", minimum: 1, maximum: 10, default: 5 },
    filter: {
      type: "object",
      required: ["unit"],
      properties: { unit: { type: "string", enum: ["C", "F"] }, on: { type: "boolean" } },
    },
    tags: { type: "array", items: { type: "array", items: { type: "number" } }, maxItems: 1 },
    id: { oneOf: [{ type: "string" }] },
  },
};

test("the arguments of a tool are described in sentences", () => {
  expect(describeArguments(toArgumentsDraft(SEARCH))).toBe(
    "Requires query (text, 1 to 20 characters that matches ^a). Accepts limit (whole number from 1 to 10), " +
      "filter (object with unit (one of C or F) and on (yes or no, optional)), " +
      "tags (list of list of number, at most 1 item) and id (value with other rules (oneOf)). " +
      "Rejects other arguments.",
  );
  expect(describeArguments(toArgumentsDraft({}))).toBe("");
  expect(describeArguments(toArgumentsDraft({ $ref: "#/$defs/a" }))).toBe(
    "Has other rules ($ref).",
  );
});

test("changes of a schema are described by argument, also in objects and lists", () => {
  const { id: _, ...properties } = SEARCH.properties;
  const after = {
    type: "object",
    properties: {
      ...properties,
      query: { type: "string", description: "What to find" },
      filter: { ...properties.filter, additionalProperties: false, properties: { unit: {} } },
      tags: { type: "array", items: { type: "array", items: { type: "integer" } }, maxItems: 1 },
      limit: { ...properties.limit, default: 6 },
      page: { type: "number" },
    },
    required: ["query", "limit"],
  };

  expect(describeSchemaChanges(SEARCH, after)).toEqual([
    "other arguments are now accepted",
    "argument query is now text instead of text, 1 to 20 characters that matches ^a",
    "argument query has another description",
    "argument limit is now required",
    "argument limit has another default",
    "other members of filter are now rejected",
    "argument filter.unit is now any value instead of one of C or F",
    "removed argument filter.on",
    "argument tags (items) (items) is now whole number instead of number",
    "removed argument id",
    "added argument page (number)",
  ]);
  expect(describeSchemaChanges(SEARCH, SEARCH)).toEqual([]);
});

test("a changed tool in the settings of a detector names its changed arguments", () => {
  const tools = (parameters: object) => ({ known_tools: [{ name: "search", parameters }] });

  expect(describeSettings(tools({}), tools({ properties: { a: { type: "string" } } }))).toEqual([
    "known tools: changed search (added argument a (text))",
  ]);
});
