/** Converts a schema in the OpenAPI 3.0 dialect of Google APIs to JSON Schema. */
import { isObject, type JsonObject } from "./json-object.ts";

/** Bounds the recursion; deeper schemas stay unchanged. */
const MAX_DEPTH = 100;

/** Lowers the case of types, and expresses `nullable` as a type. Numbers may be strings, as in protobuf's JSON. */
export function toJsonSchema(schema: JsonObject, depth = 0): JsonObject {
  if (depth > MAX_DEPTH) return schema;
  const inner = (value: unknown): unknown =>
    isObject(value) ? toJsonSchema(value, depth + 1) : value;
  const converted: JsonObject = {};
  for (const [name, value] of Object.entries(schema)) {
    if (DROPPED.has(name) || (name === "format" && value === "enum")) continue;
    if (name === "type") converted.type = toType(value, schema.nullable === true);
    else if (name === "properties" && isObject(value)) {
      const members = Object.entries(value).map(([key, member]) => [key, inner(member)]);
      converted.properties = Object.fromEntries(members);
    } else if (name === "items") converted.items = inner(value);
    else if (name === "anyOf" && Array.isArray(value)) converted.anyOf = value.map(inner);
    else if (name === "enum" && schema.nullable === true && Array.isArray(value)) {
      converted.enum = [...value, null];
    } else if (COUNTS.has(name) && typeof value === "string") converted[name] = Number(value);
    else converted[name] = value;
  }
  return converted;
}

const DROPPED: ReadonlySet<string> = new Set(["nullable", "propertyOrdering", "example"]);
const COUNTS: ReadonlySet<string> = new Set([
  ...["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"],
]);

function toType(value: unknown, isNullable: boolean): unknown {
  const type = typeof value === "string" ? value.toLowerCase() : value;
  return isNullable && typeof type === "string" ? [type, "null"] : type;
}
