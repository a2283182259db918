/** A parsed JSON object, and checks of values. */

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns whether an object has no members. */
export function isEmptyObject(value: JsonObject): boolean {
  for (const _ in value) return false;
  return true;
}

/** Returns whether a value is undefined, null, an empty text or an empty object. */
export function isBlank(value: unknown): boolean {
  if (isObject(value)) return isEmptyObject(value);
  return value === undefined || value === null || value === "";
}
