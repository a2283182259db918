/** Draft of a condition: comparisons in groups, which may be nested, or JSON. */

import { AppError } from "../../contract/errors.ts";
import type { Condition, Operator } from "../../contract/guard/conditions.ts";
import { parseJson } from "../ui/schema-draft.ts";
import { splitNames } from "../ui/text.ts";

export interface ConditionLine {
  field: string;
  op: Operator | "empty" | "not_empty";
  /** With `in`: one value per line. */
  value: string;
  /** The stored comparison, which an unchanged line saves as is. */
  stored?: Comparison;
}

export interface ConditionGroup {
  kind: "all" | "any" | "none";
  items: readonly ConditionItem[];
}

export type ConditionItem = ConditionLine | ConditionGroup;

export type ConditionDraft = (
  | { kind: "always" }
  | ConditionGroup
  | { kind: "json"; text: string }
) & {
  /** The stored condition, which an unchanged draft saves as is. */
  stored?: Condition;
};

type Comparison = Extract<Condition, { field: string }>;

export const isGroup = (item: ConditionItem): item is ConditionGroup => "items" in item;

export const newLine = (): ConditionLine => ({ field: "tool.name", op: "eq", value: "" });

export function toConditionDraft(condition: Condition | null): ConditionDraft {
  if (condition === null) return { kind: "always" };
  const item = toItem(condition);
  if (!item) {
    return { kind: "json", text: JSON.stringify(condition, null, 2), stored: condition };
  }
  const group: ConditionGroup = isGroup(item) ? item : { kind: "all", items: [item] };
  return { ...group, stored: condition };
}

/** Returns undefined if a value does not fit in a text field. */
function toItem(condition: Condition): ConditionItem | undefined {
  if ("field" in condition) return toLine(condition);
  if ("all" in condition) return toGroup("all", condition.all);
  if ("any" in condition) return toGroup("any", condition.any);
  const { not } = condition;
  return toGroup("none", "any" in not ? not.any : [not]);
}

function toGroup(
  kind: ConditionGroup["kind"],
  list: readonly Condition[],
): ConditionGroup | undefined {
  const items = list.map(toItem).filter((item) => item !== undefined);
  return items.length === list.length ? { kind, items } : undefined;
}

function toLine(stored: Comparison): ConditionLine | undefined {
  const { field, op, value: given } = stored;
  const value = op === "in" && typeof given === "string" ? splitNames(given) : given;
  if (Array.isArray(value)) {
    const isSeparable = value.every((item) => typeof item === "string" && /^\S(.*\S)?$/.test(item));
    return isSeparable ? { field, op, value: value.join("\n"), stored } : undefined;
  }
  if (value === "" && op === "eq") return { field, op: "empty", value: "", stored };
  if (value === "" && op === "neq") return { field, op: "not_empty", value: "", stored };
  return value === "" ? undefined : { field, op, value: String(value), stored };
}

/** `at` is the path in the request body: `gates[0].when`. */
export function toCondition(draft: ConditionDraft, at: string): Condition | null {
  if (draft.stored) return draft.stored;
  if (draft.kind === "always") return null;
  // The server validates it.
  if (draft.kind === "json") return parseJson(draft.text, at) as Condition;
  checkValues(draft, at);
  return joinItems(draft);
}

/** Rejects an empty value: it would match everything without the field, so the operator must say so. */
function checkValues({ kind, items }: ConditionGroup, at: string): void {
  for (const [index, item] of items.entries()) {
    const path = `${at}.${kind === "none" ? "any" : kind}[${index}]`;
    if (isGroup(item)) checkValues(item, path);
    else if (!hasNoValue(item) && item.value.trim() === "") {
      throw new AppError("validation_failed", `${path}.value: must not be empty`);
    }
  }
}

export const hasNoValue = ({ op }: ConditionLine): boolean => op === "empty" || op === "not_empty";

/** Returns the condition of the comparisons entered so far. */
export function joinItems({ kind, items }: ConditionGroup): Condition {
  const list = items.map((item) => (isGroup(item) ? joinItems(item) : toComparison(item)));
  const [only] = list;
  const joined = only && list.length === 1 ? only : kind === "all" ? { all: list } : { any: list };
  return kind === "none" ? { not: joined } : joined;
}

function toComparison({ field, op, value, stored }: ConditionLine): Comparison {
  if (stored) return stored;
  if (op === "empty" || op === "not_empty") {
    return { field, op: op === "empty" ? "eq" : "neq", value: "" };
  }
  if (op === "in") {
    const items = value.split("\n").map((item) => item.trim());
    return { field, op, value: items.filter((item) => item !== "") };
  }
  const number = (op === "gt" || op === "lt") && value.trim() !== "" ? Number(value) : Number.NaN;
  return { field, op, value: Number.isNaN(number) ? value : number };
}
