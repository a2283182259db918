/** What the members of a JSON Schema look like while they are typed, and the values they become. */
import { AppError } from "../../contract/errors.ts";
import { type Pairs, pairsOf, recordOf } from "./pairs-field.tsx";

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
export interface Draft {
  readonly [name: string]: Typed;
}
export type Typed = string | boolean | Pairs | Rows | Chosen | Group;
/** A list of objects. */
export interface Rows {
  rows: readonly Draft[];
}
/** Some of the names that there are. */
export interface Chosen {
  chosen: readonly string[];
}
/** One object with members of its own. */
export interface Group {
  group: Draft;
}

export type Shape =
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
export function shapeOf(member: Schema): Shape {
  if (member.enum) return "choice";
  if (numberIn(member)) return "number";
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
export function numberIn(member: Schema): Schema | undefined {
  const halves = member.anyOf ?? [member];
  return halves.find(({ type }) => type === "integer" || type === "number");
}

export const isNullable = ({ anyOf }: Schema): boolean =>
  anyOf?.some(({ type }) => type === "null") ?? false;

export function draftOf(schema: Schema, values: Record<string, unknown>): Draft {
  const entries = Object.entries(schema.properties ?? {}).map(([name, member]) => [
    name,
    typedOf(member, values[name]),
  ]);
  return Object.fromEntries(entries);
}

/** The value comes from the server, so it is of the type that the schema says. */
function typedOf(member: Schema, value: unknown): Typed {
  const known = value ?? member.default;
  switch (shapeOf(member)) {
    case "flag":
      return Boolean(known);
    case "pairs":
      return pairsOf(known as Record<string, string> | undefined);
    case "chosen":
      return { chosen: (known ?? []) as string[] };
    case "lines":
      return ((known ?? []) as string[]).join("\n");
    case "rows":
      return { rows: ((known ?? []) as Record<string, unknown>[]).map(rowOf(member)) };
    case "group":
      return { group: draftOf(member, (known ?? {}) as Record<string, unknown>) };
    case "json":
      return value === undefined ? "" : JSON.stringify(value, null, 2);
    case "number":
      return isNullable(member) ? textOf(value === undefined ? known : value) : textOf(value);
    default:
      return textOf(value);
  }
}

const textOf = (value: unknown): string =>
  value === undefined || value === null ? "" : String(value);

export const rowOf =
  ({ items = {} }: Schema) =>
  (values: Record<string, unknown>): Draft =>
    draftOf(items, values);

/** An empty text means that the member is not there. `at` is where the server sees these members. */
export function valuesOf(schema: Schema, draft: Draft, at: string): Record<string, unknown> {
  const entries = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const typed = draft[name] ?? "";
    if (!schema.required?.includes(name) && isBlankGroup(member, typed)) return [];
    const value = memberOf(member, typed, `${at}.${name}`);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

/** An object in which nothing was typed: one that need not be there is not. */
export const isBlankGroup = (member: Schema, typed: Typed): boolean =>
  shapeOf(member) === "group" &&
  JSON.stringify(typed) === JSON.stringify(typedOf(member, undefined));

function memberOf(member: Schema, typed: Typed, at: string): unknown {
  if (typeof typed === "boolean") return typed;
  if (typeof typed === "object") {
    if ("chosen" in typed) return typed.chosen;
    if ("group" in typed) return valuesOf(member, typed.group, at);
    if (!("rows" in typed)) return recordOf(typed);
    return typed.rows.map((row, index) => valuesOf(member.items ?? {}, row, `${at}[${index}]`));
  }
  const shape = shapeOf(member);
  if (shape === "lines") return typed.split("\n").filter((line) => line.trim() !== "");
  if (typed === "") return shape === "number" && isNullable(member) ? null : undefined;
  if (shape === "number") return Number(typed);
  if (shape === "json") return parsed(typed, at);
  return member.type === "boolean" ? typed === "true" : typed;
}

/** Told like a refusal of the server, so that it stands at its field. */
export function parsed(text: string, at: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : "it cannot be read";
    throw new AppError("validation_failed", `${at}: is not JSON: ${reason}`);
  }
}
