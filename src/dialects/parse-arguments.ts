/** Reads the arguments of a tool call, for formats that need an object. */

import { isObject, type JsonObject } from "../lib/json/json-object.ts";
import { isTooDeep, measureJson } from "../lib/json/measure-json.ts";
import {
  isExactInteger,
  MAX_EXACT_WEIGHT,
  parseBoundedExactJson,
} from "../lib/json/parse-exact-json.ts";
import type { Part } from "./neutral.ts";

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

/** Returns whether parsing the arguments of all tool calls would take too long. */
export function hasTooManyArguments(parts: readonly Part[]): boolean {
  const hasTooMany = createArgumentCounter();
  return parts.some((part) => part.type === "tool_call" && hasTooMany(part.arguments));
}

/** Returns a function that adds the arguments of a tool call: true if they exceed about 170,000 JSON values together. */
export function createArgumentCounter(): (text: string) => boolean {
  let weight = 0;
  return (text) => {
    weight += measureJson(text).weight;
    return weight > MAX_EXACT_WEIGHT;
  };
}
