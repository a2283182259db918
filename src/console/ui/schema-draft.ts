/** What the members of a JSON Schema look like while they are typed, and the values they become. */
import { AppError } from "../../contract/errors.ts";
import { type Pairs, toPairs, toRecord } from "./pairs-field.tsx";

export interface Schema {
  type?: string;
  format?: string;
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

/** Texts and rows, made into values when it is saved. */
export interface SchemaDraft {
  readonly [name: string]: DraftValue;
}
export type DraftValue = string | boolean | Pairs | Rows | Selection | Group;
/** A list of objects. */
export interface Rows {
  rows: readonly SchemaDraft[];
}
/** Some of the names that there are. */
export interface Selection {
  selected: readonly string[];
}
/** One object with members of its own. */
export interface Group {
  group: SchemaDraft;
}

export type FieldShape =
  | "flag"
  | "choice"
  | "number"
  | "text"
  | "long_text"
  | "lines"
  | "chosen"
  | "rows"
  | "group"
  | "pairs"
  | "json";

/** From this length on a text is more than a line. */
const LONG = 8000;

/** How a member is typed. */
export function fieldShape(member: Schema): FieldShape {
  if (member.enum) return "choice";
  if (numberSchema(member)) return "number";
  const { type, items, additionalProperties: rest } = member;
  // Without a default, to say nothing is a third answer.
  if (type === "boolean") return member.default === undefined ? "choice" : "flag";
  if (type === "array" && items?.enum) return "chosen";
  if (type === "array" && items?.type === "string") return "lines";
  if (type === "array" && items?.properties) return "rows";
  if (type === "object" && member.properties) return "group";
  if (type === "object" && typeof rest === "object" && rest.type === "string") return "pairs";
  if (type !== "string") return "json";
  return (member.maxLength ?? 0) >= LONG ? "long_text" : "text";
}

/** The numeric half of a member that is a number, or a number or null. */
export function numberSchema(member: Schema): Schema | undefined {
  const halves = member.anyOf ?? [member];
  return halves.find(({ type }) => type === "integer" || type === "number");
}

export const isNullable = ({ anyOf }: Schema): boolean =>
  anyOf?.some(({ type }) => type === "null") ?? false;

export function toDraft(schema: Schema, values: Record<string, unknown>): SchemaDraft {
  const entries = Object.entries(schema.properties ?? {}).map(([name, member]) => [
    name,
    toDraftValue(member, values[name]),
  ]);
  return Object.fromEntries(entries);
}

/** The value comes from the server, so it is of the type that the schema says. */
function toDraftValue(member: Schema, value: unknown): DraftValue {
  const known = value ?? member.default;
  switch (fieldShape(member)) {
    case "flag":
      return Boolean(known);
    case "pairs":
      return toPairs(known as Record<string, string> | undefined);
    case "chosen":
      return { selected: (known ?? []) as string[] };
    case "lines":
      return ((known ?? []) as string[]).join("\n");
    case "rows":
      return { rows: ((known ?? []) as Record<string, unknown>[]).map(toRow(member)) };
    case "group":
      return { group: toDraft(member, (known ?? {}) as Record<string, unknown>) };
    case "json":
      return value === undefined ? "" : JSON.stringify(value, null, 2);
    case "number":
      return isNullable(member) ? toText(value === undefined ? known : value) : toText(value);
    default:
      return toText(value);
  }
}

const toText = (value: unknown): string =>
  value === undefined || value === null ? "" : String(value);

export const toRow =
  ({ items = {} }: Schema) =>
  (values: Record<string, unknown>): SchemaDraft =>
    toDraft(items, values);

/** An empty text means that the member is not there. `at` is where the server sees these members. */
export function toValues(schema: Schema, draft: SchemaDraft, at: string): Record<string, unknown> {
  const entries = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const typed = draft[name] ?? "";
    if (!schema.required?.includes(name) && isBlankGroup(member, typed)) return [];
    const value = toValue(member, typed, `${at}.${name}`);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

/** An object in which nothing was typed: one that need not be there is not. */
export const isBlankGroup = (member: Schema, typed: DraftValue): boolean =>
  fieldShape(member) === "group" &&
  JSON.stringify(typed) === JSON.stringify(toDraftValue(member, undefined));

function toValue(member: Schema, typed: DraftValue, at: string): unknown {
  if (typeof typed === "boolean") return typed;
  if (typeof typed === "object") {
    if ("selected" in typed) return typed.selected;
    if ("group" in typed) return toValues(member, typed.group, at);
    if (!("rows" in typed)) return toRecord(typed);
    return typed.rows.map((row, index) => toValues(member.items ?? {}, row, `${at}[${index}]`));
  }
  const shape = fieldShape(member);
  if (shape === "lines") return typed.split("\n").filter((line) => line.trim() !== "");
  if (typed === "") return shape === "number" && isNullable(member) ? null : undefined;
  if (shape === "number") return Number(typed);
  if (shape === "json") return parseJson(typed, at);
  return member.type === "boolean" ? typed === "true" : typed;
}

/** Told like a refusal of the server, so that it stands at its field. */
export function parseJson(text: string, at: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : "it cannot be read";
    throw new AppError("validation_failed", `${at}: is not JSON: ${reason}`);
  }
}
