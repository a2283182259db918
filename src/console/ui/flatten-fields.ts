/** Lists the fields of an object by path, for tables of changes. */
import { isEmptyObject, isObject } from "../../lib/json/json-object.ts";

/** Returns nested fields by path, such as `failover.max_attempts`; a list is one JSON text. No two fields share a path. */
export function flattenFields(value: Record<string, unknown>, prefix = ""): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, field] of Object.entries(value)) {
    // A name with a dot could hide a nested field of the same path.
    const path = prefix + (/^[^."]+$/.test(name) ? name : JSON.stringify(name));
    if (isObject(field) && !isEmptyObject(field)) {
      for (const [inner, text] of flattenFields(field, `${path}.`)) fields.set(inner, text);
    } else fields.set(path, typeof field === "string" ? field : JSON.stringify(field));
  }
  return fields;
}
