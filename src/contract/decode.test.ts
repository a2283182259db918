/** Each validation error is reported once, with the path of its member. */
import { expect, test } from "bun:test";
import { z } from "zod";
import { decode } from "./decode.ts";
import { AppError } from "./errors.ts";

const Narrow = z.string().max(20).max(5);
const Own = z.string().refine((text) => text === "", "A sentence of its own.");
const SCHEMA = z.strictObject({
  a: Narrow.optional(),
  b: z.array(Narrow).optional(),
  own: Own.optional(),
});

test.each([
  ["text that exceeds two limits", { a: "x".repeat(30) }, "a: must have at most 5 characters"],
  [
    "two members",
    { a: "x".repeat(30), b: ["y".repeat(30)] },
    "a: must have at most 5 characters; b[0]: must have at most 5 characters",
  ],
  ["two messages", { own: "x", c: 1 }, "own: A sentence of its own; c: unknown member"],
  ["one message", { own: "x" }, "own: A sentence of its own."],
])("%s", (_, value, message) => {
  expect(() => decode(SCHEMA, value)).toThrow(new AppError("validation_failed", message));
});
