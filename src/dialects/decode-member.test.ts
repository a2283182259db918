import { expect, test } from "bun:test";
import { z } from "zod";
import type { AppError } from "../contract/errors.ts";
import { decodeMember } from "./decode-member.ts";
import { parseArguments } from "./parse-arguments.ts";

const Schema = z.strictObject({
  list: z.array(z.union([z.string(), z.strictObject({ name: z.string() })])),
});

test("an error names the full path of the member", () => {
  expect(fail({ list: [{ name: 1 }] }, "input[3]")).toEqual([
    "input[3].list[0].name: expected string, received number",
    "input[3].list[0].name",
  ]);
  expect(fail({ list: [], other: 1 }, "")).toEqual(["other: unknown member", "other"]);
  expect(fail({ list: [{ name: "a", odd: 1 }] }, "")[1]).toBe("list[0].odd");
  expect(fail("text", "")[0]).toStartWith("body: expected object");
});

function fail(value: unknown, at: string): (string | undefined)[] {
  try {
    decodeMember(Schema, value, at);
  } catch (thrown) {
    const { message, details } = thrown as AppError;
    return [message, details.param];
  }
  return [];
}

test("arguments of a tool call are a JSON object, or empty", () => {
  expect(parseArguments('{"a":1}')).toEqual({ a: 1 });
  expect(parseArguments(" ")).toEqual({});
  for (const text of ["{", "[]", "null", '"a"']) expect(parseArguments(text)).toBeUndefined();
});
