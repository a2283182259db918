/** What a schema found wrong, in words of what to write instead. */
import { expect, test } from "bun:test";
import { z } from "zod";
import { describeIssue } from "./describe-issue.ts";

const told = (schema: z.ZodType, value: unknown) => {
  const [issue] = schema.safeParse(value).error?.issues ?? [];
  return issue && describeIssue(issue);
};

test.each([
  ["what is missing is required", z.string(), undefined, "is required"],
  ["a choice that is missing too", z.enum(["a", "b"]), undefined, "must be one of a, b"],
  ["a wrong choice lists them all", z.enum(["a", "b"]), "c", "must be one of a, b"],
  ["an only choice is named", z.literal(1), 2, "must be 1"],
  ["a wrong type", z.array(z.string()), {}, "expected array, received object"],
  ["an id", z.uuid(), "x", "must be an id (a UUID)"],
  ["a time", z.iso.datetime(), "tomorrow", "must be a time such as 2030-01-31T00:00:00Z"],
  ["an address", z.url(), "x", "must be an address such as https://example.com"],
  ["a short text", z.string().min(2), "x", "must have at least 2 characters"],
  ["an empty text", z.string().min(1), "", "must not be empty"],
  ["a long text", z.string().max(2), "xyz", "must have at most 2 characters"],
  ["a short list", z.array(z.string()).min(2), [], "must have at least 2 entries"],
  ["a small number", z.number().min(1), 0, "must be at least 1"],
  ["a large number", z.number().max(1), 2, "must be at most 1"],
  ["a number that must be more", z.number().gt(0), 0, "must be more than 0"],
  ["a schema's own words stay", z.string().min(2, "must be long"), "x", "must be long"],
  [
    "so do those of a format",
    z.string().regex(/^a/, "must start with a"),
    "b",
    "must start with a",
  ],
])("%s", (_, schema, value, words) => {
  expect(told(schema, value)).toBe(words);
});
