/** Reads the arguments of a tool call, for formats that need an object. */

import { isObject, type JsonObject } from "../lib/json/json-object.ts";
import { isTooDeep } from "../lib/json/measure-json.ts";
import { isExactInteger, parseBoundedExactJson } from "../lib/json/parse-exact-json.ts";

/** Empty text means no arguments. Returns undefined if the text is not a JSON object, or nested too deep. */
export function parseArguments(text: string): JsonObject | undefined {
  if (text.trim() === "") return {};
  if (isTooDeep(text)) return undefined;
  try {
    const value = parseBoundedExactJson(text);
    return isObject(value) && !isExactInteger(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
