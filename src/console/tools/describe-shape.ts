/** Describes JSON Schemas in words. */
import { isObject } from "../../lib/json/json-object.ts";
import { tryParseJson } from "../ui/parse-json.ts";
import { capitalize, joinWords } from "../ui/text.ts";
import type { ShapeDraft, ShapeType } from "./shape-draft.ts";

export const TYPE_LABELS: Record<ShapeType, string> = {
  string: "text",
  number: "number",
  integer: "whole number",
  boolean: "yes or no",
  array: "list",
  object: "object",
  any: "any value",
  json: "other (JSON)",
};

/** Returns "Requires query (text). Accepts limit (whole number from 1 to 10). Rejects other arguments.", or "". */
export function describeArguments(shape: ShapeDraft): string {
  const list = (isRequired: boolean) =>
    shape.parameters.flatMap(({ name, required, shape: own }) =>
      required === isRequired ? [`${name || "…"} (${describeShape(own)})`] : [],
    );
  const [required, optional] = [list(true), list(false)];
  const rules = describeOther(shape);
  const texts = [
    ...(required.length > 0 ? [`requires ${joinWords(required, "and")}`] : []),
    ...(optional.length > 0 ? [`accepts ${joinWords(optional, "and")}`] : []),
    ...(shape.isClosed ? ["rejects other arguments"] : []),
    ...(rules ? [`has ${rules}`] : []),
  ];
  return texts.map((text) => `${capitalize(text)}.`).join(" ");
}

/** Returns "whole number from 1 to 10", or "object with name (text) and age (number, optional)". */
export function describeShape(shape: ShapeDraft): string {
  const { items, parameters, isClosed } = shape;
  const members = parameters.map(
    ({ name, required, shape: own }) =>
      `${name || "…"} (${describeShape(own)}${required ? "" : ", optional"})`,
  );
  const inside =
    shape.type === "array" && items
      ? ` of ${describeShape(items)}`
      : shape.type === "object" && members.length > 0
        ? ` with ${joinWords(members, "and")}`
        : "";
  const closed = shape.type === "object" && isClosed ? [" without other members"] : [];
  return [describeLimits(shape, inside), ...closed].join("");
}

/** Describes the type and its limits. `inside` describes the items or members. */
export function describeLimits(shape: ShapeDraft, inside = ""): string {
  const { type, texts } = shape;
  const values = texts.enum?.split("\n").filter((line) => line.trim() !== "") ?? [];
  const isListed = values.length > 0 && LISTABLE.has(type);
  const label = type === "json" ? "value" : TYPE_LABELS[type];
  const noun = isListed ? `one of ${joinWords(values, "or")}` : label;
  const limits: Partial<Record<ShapeType, string>> = {
    string: describeRange(texts.minLength, texts.maxLength, "character"),
    number: describeRange(texts.minimum, texts.maximum),
    integer: describeRange(texts.minimum, texts.maximum),
    array: describeRange(texts.minItems, texts.maxItems, "item"),
  };
  const pattern = type === "string" && texts.pattern ? ` that matches ${texts.pattern}` : "";
  const rules = describeOther(shape);
  return `${noun}${inside}${limits[type] ?? ""}${pattern}${rules && ` with ${rules}`}`;
}

const LISTABLE = new Set<ShapeType>(["string", "number", "integer"]);

/** Returns " from 1 to 10", ", 1 to 10 items" or ", at least 1 item". */
function describeRange(min: string | undefined, max: string | undefined, unit?: string): string {
  const count = (bound: string) => (unit ? `${bound} ${unit}${bound === "1" ? "" : "s"}` : bound);
  if (min && max) return unit ? `, ${min} to ${count(max)}` : ` from ${min} to ${max}`;
  if (min) return `, at least ${count(min)}`;
  return max ? `, at most ${count(max)}` : "";
}

/** Returns "other rules (oneOf and format)", or "" if every keyword has a field. */
function describeOther({ type, other }: ShapeDraft): string {
  if (other.trim() === "") return "";
  const given = tryParseJson(other);
  const names = isObject(given) ? Object.keys(given).filter((name) => !IS_NO_RULE.has(name)) : [];
  if (isObject(given) && names.length === 0 && type !== "json") return "";
  return names.length > 0 ? `other rules (${joinWords(names, "and")})` : "other rules";
}

/** Keywords that restrict nothing. */
const IS_NO_RULE = new Set([
  "$schema",
  "$id",
  "$defs",
  "definitions",
  "title",
  "default",
  "examples",
]);
