/** Parses JSON whose long integers are forwarded as they were sent, not rounded to a double. */

import { measureJson } from "./measure-json.ts";

type Reviver = (name: string, value: unknown, context: { source?: string }) => unknown;

/** Bun implements them, and the type of JSON lacks them: https://github.com/tc39/proposal-json-parse-with-source */
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse: (text: string, reviver: Reviver) => unknown;
  rawJSON: (text: string) => unknown;
  isRawJSON: (value: unknown) => boolean;
};

/** Limit for the weight of JSON with long integers, which is parsed ten times slower: up to 160 ms. */
export const MAX_EXACT_WEIGHT = 4 * 1024 * 1024;

/** Returns whether JSON text may contain an integer that a double rounds. Fractions and strings of digits do not count. */
export const mayContainLongInteger = (text: string): boolean => /(?<![\w."])\d{16}/.test(text);

/** An integer that a double rounds becomes a value that only JSON.stringify can read, and writes as it was. */
export const parseExactJson = (text: string): unknown =>
  mayContainLongInteger(text) ? parse(text, keepLongInteger) : JSON.parse(text);

/** Parses JSON of any weight. Beyond the limit its long integers are rounded. */
export const parseBoundedExactJson = (text: string): unknown =>
  mayContainLongInteger(text) && measureJson(text).weight <= MAX_EXACT_WEIGHT
    ? parse(text, keepLongInteger)
    : JSON.parse(text);

export const isExactInteger = isRawJSON;

/** Rounds a member that is a long integer: the object that keeps it exactly would be accepted in place of an object. */
export function roundMember(object: Record<string, unknown>, name: string): void {
  if (isExactInteger(object[name])) object[name] = Number(JSON.stringify(object[name]));
}

const keepLongInteger: Reviver = (_, value, { source = "" }) =>
  typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
    ? rawJSON(source)
    : value;
