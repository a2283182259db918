/** A parsed JSON object, and the check for one. */

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns whether an object has no members. */
export function isEmptyObject(value: JsonObject): boolean {
  for (const _ in value) return false;
  return true;
}
