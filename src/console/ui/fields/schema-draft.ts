/** Drafts of objects described by a JSON Schema: form values, and the JSON values they become. */
import { type ShapeDraft, toArgumentsDraft, toArgumentsSchema } from "../../tools/shape-draft.ts";
import { parseJson } from "../parse-json.ts";
import { type Pairs, toPairs, toRecord } from "./pairs-field.tsx";

export interface Schema {
  type?: string;
  format?: string;
  /** Label of the field. Default: the name of the property. */
  title?: string;
  description?: string;
  default?: unknown;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
}

/** Form values by property. */
export interface SchemaDraft {
  readonly [name: string]: DraftValue;
}
export type DraftValue = string | boolean | Pairs | Rows | Selection | Group | Parameters;
/** List of objects. */
export interface Rows {
  rows: readonly SchemaDraft[];
}
/** Some of the names in an enum. */
export interface Selection {
  selected: readonly string[];
}
/** Nested object. */
export interface Group {
  group: SchemaDraft;
}

/** JSON Schema of the arguments of a tool. */
export interface Parameters {
  parameters: ShapeDraft;
}

export type FieldShape =
  | "flag"
  | "choice"
  | "number"
  | "text"
  | "long_text"
  | "lines"
  | "selection"
  | "rows"
  | "group"
  | "pairs"
  | "parameters"
  | "json";

/** Text of this maximum length or more gets a multi-line field. */
const LONG_TEXT_LENGTH = 8000;

/** Returns the kind of field for a property. */
export function fieldShape(property: Schema): FieldShape {
  if (property.enum) return "choice";
  if (numberSchema(property)) return "number";
  const { type, items, additionalProperties: rest } = property;
  // Without a default, unset is a third value.
  if (type === "boolean") return property.default === undefined ? "choice" : "flag";
  if (type === "array" && items?.enum) return "selection";
  if (type === "array" && items?.type === "string") return "lines";
  if (type === "array" && items?.properties) return "rows";
  if (property.format === "json-schema") return "parameters";
  if (type === "object" && property.properties) return "group";
  if (type === "object" && typeof rest === "object" && rest.type === "string") return "pairs";
  if (type !== "string") return "json";
  if (property.format === "password") return "text";
  return (property.maxLength ?? 0) >= LONG_TEXT_LENGTH ? "long_text" : "text";
}

/** Returns the numeric alternative of a number, or of a number or null. */
export function numberSchema(property: Schema): Schema | undefined {
  const alternatives = property.anyOf ?? [property];
  return alternatives.find(({ type }) => type === "integer" || type === "number");
}

export const isNullable = ({ anyOf }: Schema): boolean =>
  anyOf?.some(({ type }) => type === "null") ?? false;

export function toSchemaDraft(schema: Schema, values: Record<string, unknown>): SchemaDraft {
  const entries = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    toDraftValue(property, values[name]),
  ]);
  return Object.fromEntries(entries);
}

/** The casts are safe: the server validated the value against the schema. */
function toDraftValue(property: Schema, value: unknown): DraftValue {
  const current = value ?? property.default;
  switch (fieldShape(property)) {
    case "flag":
      return Boolean(current);
    case "pairs":
      return toPairs(current as Record<string, string> | undefined);
    case "selection":
      return { selected: (current ?? []) as string[] };
    case "lines":
      return ((current ?? []) as string[]).join("\n");
    case "rows":
      return { rows: ((current ?? []) as Record<string, unknown>[]).map(toRow(property)) };
    case "group":
      return { group: toSchemaDraft(property, (current ?? {}) as Record<string, unknown>) };
    case "parameters":
      return { parameters: toArgumentsDraft(current ?? {}) };
    case "json":
      return value === undefined ? "" : JSON.stringify(value, null, 2);
    case "number":
      return isNullable(property) ? toText(value === undefined ? current : value) : toText(value);
    default:
      return toText(value);
  }
}

const toText = (value: unknown): string =>
  value === undefined || value === null ? "" : String(value);

export const toRow =
  ({ items = {} }: Schema) =>
  (values: Record<string, unknown>): SchemaDraft =>
    toSchemaDraft(items, values);

/** Omits properties whose text is empty. `at` is the path of the object in the request body. */
export function toValues(schema: Schema, draft: SchemaDraft, at: string): Record<string, unknown> {
  const entries = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const draftValue = draft[name] ?? "";
    if (!schema.required?.includes(name) && isBlankGroup(property, draftValue)) return [];
    const value = toValue(property, draftValue, `${at}.${name}`);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

/** Says whether nothing was entered into a nested object. */
export const isBlankGroup = (property: Schema, draftValue: DraftValue): boolean =>
  fieldShape(property) === "group" &&
  JSON.stringify(draftValue) === JSON.stringify(toDraftValue(property, undefined));

function toValue(property: Schema, draftValue: DraftValue, at: string): unknown {
  if (typeof draftValue === "boolean") return draftValue;
  if (typeof draftValue === "object") {
    if ("selected" in draftValue) return draftValue.selected;
    if ("parameters" in draftValue) return toArgumentsSchema(draftValue.parameters, at);
    if ("group" in draftValue) return toValues(property, draftValue.group, at);
    if (!("rows" in draftValue)) return toRecord(draftValue);
    return draftValue.rows.map((row, index) =>
      toValues(property.items ?? {}, row, `${at}[${index}]`),
    );
  }
  const shape = fieldShape(property);
  if (shape === "lines") return draftValue.split("\n").filter((line) => line.trim() !== "");
  if (draftValue === "") return shape === "number" && isNullable(property) ? null : undefined;
  if (shape === "number") return Number(draftValue);
  if (shape === "json") return parseJson(draftValue, at);
  return property.type === "boolean" ? draftValue === "true" : draftValue;
}
