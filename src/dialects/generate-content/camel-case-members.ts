/** Renames members in snake case: Google APIs accept both spellings of their members. */
import { isObject, type JsonObject } from "../../lib/json/json-object.ts";

/** Members whose values have names that the client defines. */
const OPAQUE: ReadonlySet<string> = new Set([
  ...["args", "response", "parameters", "parametersJsonSchema", "responseSchema"],
  ...["responseJsonSchema", "labels", "partMetadata"],
]);

export function camelCaseMembers(value: JsonObject): JsonObject {
  const renamed: JsonObject = {};
  for (const [name, member] of Object.entries(value)) {
    const camel = name.includes("_") ? name.replaceAll(/_([a-z])/g, toUpper) : name;
    renamed[camel] = OPAQUE.has(camel) ? member : renameInside(member);
  }
  return renamed;
}

const toUpper = (_: string, letter: string): string => letter.toUpperCase();

function renameInside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(renameInside);
  return isObject(value) ? camelCaseMembers(value) : value;
}
