/** Reads the JSON of upstreams, and builds the error of a response or event that cannot be translated. */
import { AppError } from "../contract/errors.ts";
import { isObject, type JsonObject } from "../lib/json/json-object.ts";
import { measureJson } from "../lib/json/measure-json.ts";
import { parseBoundedExactJson } from "../lib/json/parse-exact-json.ts";
import { MAX_DEPTH } from "../lib/json/skip-value.ts";

const SUBJECT = "The upstream's response";

/** `problem` completes "The upstream's response …". */
export const invalidResponse = (problem: string): AppError =>
  new AppError("upstream_failed", `${SUBJECT} ${problem}.`);

/** Returns whether the error is from `invalidResponse`, so that its message explains more than its code. */
export const isInvalidResponse = ({ code, message }: AppError): boolean =>
  code === "upstream_failed" && message.startsWith(SUBJECT);

/** Returns the error of content that has no neutral form. */
export const unknownContent = (type: unknown): AppError =>
  invalidResponse(`has content of the unsupported type ${quoteName(type)}`);

/** Returns a keyword of the upstream for an error, which the guard does not evaluate: other text is left out. */
export const quoteName = (value: unknown): string =>
  typeof value === "string" && /^\w{1,80}$/.test(value) ? value : "(unknown)";

/** Limit for the weight of JSON that is translated, about 50,000 content parts: other requests wait meanwhile. */
export const MAX_TRANSLATED_WEIGHT = 8 * 1024 * 1024;

/** Parses a response or an event of an upstream. Returns undefined if the text is not JSON. */
export function parseUpstreamJson(text: string): unknown {
  if (text.length > MAX_DEPTH) {
    const { depth, weight } = measureJson(text);
    if (depth > MAX_DEPTH) throw invalidResponse("is nested too deep");
    if (weight > MAX_TRANSLATED_WEIGHT) throw invalidResponse("has too many JSON values");
  }
  try {
    return parseBoundedExactJson(text);
  } catch {
    return undefined;
  }
}

/** Parses the data of an event. */
export function parseEvent(data: string): JsonObject {
  const event = parseUpstreamJson(data);
  if (!isObject(event)) throw invalidResponse("has an event that is not a JSON object");
  return event;
}

/** Returns an empty object for any other value, so that its members can be read. */
export const asObject = (value: unknown): JsonObject => (isObject(value) ? value : EMPTY);
const EMPTY: JsonObject = {};

/** Returns an empty list for any other value. */
export const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Returns an empty text for any other value. */
export const asText = (value: unknown): string => (typeof value === "string" ? value : "");

/** Returns undefined for any other value. */
export const asCount = (value: unknown): number | undefined =>
  typeof value === "number" && value >= 0 ? value : undefined;
