/** Validation issues are described by what the value must be. */
import { expect, test } from "bun:test";
import { z } from "zod";
import { describeIssue } from "./describe-issue.ts";

const describeFirst = (schema: z.ZodType, value: unknown) => {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  return issue && describeIssue(issue);
};

test.each([
  ["a missing value is required", z.string(), undefined, "is required"],
  ["a missing choice lists the options", z.enum(["a", "b"]), undefined, "must be one of a, b"],
  ["an invalid choice lists the options", z.enum(["a", "b"]), "c", "must be one of a, b"],
  ["a literal names its value", z.literal(1), 2, "must be 1"],
  ["an invalid type names both types", z.array(z.string()), {}, "expected array, received object"],
  ["an id must be a UUID", z.uuid(), "x", "must be an id (a UUID)"],
  [
    "a time shows an example",
    z.iso.datetime(),
    "tomorrow",
    "must be a time such as 2030-01-31T00:00:00Z",
  ],
  ["an address shows an example", z.url(), "x", "must be an address such as https://example.com"],
  ["text that is too short", z.string().min(2), "x", "must have at least 2 characters"],
  ["empty text", z.string().min(1), "", "must not be empty"],
  ["text that is too long", z.string().max(2), "xyz", "must have at most 2 characters"],
  ["a list that is too short", z.array(z.string()).min(2), [], "must have at least 2 entries"],
  ["a number that is too small", z.number().min(1), 0, "must be at least 1"],
  ["a number that is too large", z.number().max(1), 2, "must be at most 1"],
  [
    "an invalid name of a member",
    z.record(z.string().max(2), z.string()),
    { abc: "x" },
    "the name must have at most 2 characters",
  ],
  ["an exclusive minimum", z.number().gt(0), 0, "must be more than 0"],
  ["a message of the schema is kept", z.string().min(2, "must be long"), "x", "must be long"],
  [
    "a message of a format is kept",
    z.string().regex(/^a/, "must start with a"),
    "b",
    "must start with a",
  ],
])("%s", (_, schema, value, words) => {
  expect(describeFirst(schema, value)).toBe(words);
});
