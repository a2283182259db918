/** Draft of a condition: comparisons in groups, which may be nested, or JSON. */

import { AppError } from "../../contract/errors.ts";
import { MAX_CONDITION_DEPTH } from "../../contract/guard/condition-depth.ts";
import type { Condition, Operator } from "../../contract/guard/conditions.ts";
import { parseJson, tryParseJson } from "../ui/parse-json.ts";
import { splitNames } from "../ui/text.ts";
import { readCondition } from "./read-condition.ts";

export interface ConditionLine {
  field: string;
  op: Operator | "empty" | "not_empty";
  /** With `in`: one value per line. */
  value: string;
  /** The value is JSON: lines cannot show it, such as a list of texts with line breaks. */
  isJson?: true;
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
  const group: ConditionGroup = isGroup(item) ? item : { kind: "all", items: [item] };
  return { ...group, stored: condition };
}

function toItem(condition: Condition): ConditionItem {
  if ("field" in condition) return toLine(condition);
  if ("all" in condition) return { kind: "all", items: condition.all.map(toItem) };
  if ("any" in condition) return { kind: "any", items: condition.any.map(toItem) };
  const { not } = condition;
  return { kind: "none", items: ("any" in not ? not.any : [not]).map(toItem) };
}

function toLine(stored: Comparison): ConditionLine {
  const { field, op, value: given } = stored;
  const value = op === "in" && typeof given === "string" ? splitNames(given) : given;
  if (value === "" && op === "eq") return { field, op: "empty", value: "", stored };
  if (value === "" && op === "neq") return { field, op: "not_empty", value: "", stored };
  const lines = (Array.isArray(value) ? value : [value]).map(String);
  const isReadable = Array.isArray(value)
    ? lines.every((line) => /^\S(.*\S)?$/.test(line))
    : lines.every((line) => line.trim() !== "" && !/[\r\n]/.test(line));
  return isReadable
    ? { field, op, value: lines.join("\n"), stored }
    : { field, op, value: JSON.stringify(given), isJson: true, stored };
}

/** `at` is the path in the request body: `gates[0].when`. */
export function toCondition(draft: ConditionDraft, at: string): Condition | null {
  if (draft.stored) return draft.stored;
  if (draft.kind === "always") return null;
  if (draft.kind !== "json") checkValues(draft, at);
  const given = draft.kind === "json" ? parseJson(draft.text, at) : joinItems(draft);
  const condition = readCondition(given);
  if (condition && depthOf(condition) > MAX_CONDITION_DEPTH) {
    throw new AppError("validation_failed", `${at}: ${TOO_DEEP}`);
  }
  // The server rejects other JSON.
  return condition ?? (given as Condition);
}

const TOO_DEEP = `groups may be nested ${MAX_CONDITION_DEPTH} levels deep; a group of which none may match counts as two`;

const depthOf = (condition: Condition): number => {
  if ("field" in condition) return 0;
  if ("not" in condition) return 1 + depthOf(condition.not);
  return 1 + Math.max(...("all" in condition ? condition.all : condition.any).map(depthOf));
};

/** Returns the levels of `all`, `any` and `not` that a group adds. */
export const levelsOf = ({ kind }: ConditionGroup): number => (kind === "none" ? 2 : 1);

/** Rejects an empty value: it would match everything without the field, so the operator must say so. */
function checkValues(group: ConditionGroup, at: string): void {
  for (const [index, item] of group.items.entries()) {
    const path = pathOfItem(group, index, at);
    if (isGroup(item)) checkValues(item, path);
    else if (hasNoValue(item)) continue;
    else if (item.isJson) parseJson(item.value, `${path}.value`);
    else if (item.value.trim() === "") {
      throw new AppError("validation_failed", `${path}.value: must not be empty`);
    }
  }
}

/** Returns the path of an item in the condition of `joinItems`. */
function pathOfItem({ kind, items }: ConditionGroup, index: number, at: string): string {
  const joined = kind === "none" ? `${at}.not` : at;
  if (items.length === 1) return joined;
  return `${joined}.${kind === "all" ? "all" : "any"}[${index}]`;
}

/** Replaces the paths of comparisons by their positions: `all[1].any[0].field: …` becomes `Comparison 2.1: field: …`. */
export function numberComparisons(group: ConditionGroup, problem: string): string {
  const comparisons = listComparisons(group, "", "");
  const toNumber = (text: string) => {
    const found = comparisons.find(({ path }) => `.${text}`.startsWith(path));
    return found ? `Comparison ${found.number}: ${text.slice(found.path.length)}` : text;
  };
  return problem.split("; ").map(toNumber).join("; ");
}

/** Returns the path and the position of each comparison. No path is the start of another. */
function listComparisons(
  group: ConditionGroup,
  at: string,
  before: string,
): { path: string; number: string }[] {
  return group.items.flatMap((item, index) => {
    const path = pathOfItem(group, index, at);
    const number = `${before}${index + 1}`;
    return isGroup(item) ? listComparisons(item, path, `${number}.`) : [{ path, number }];
  });
}

export const hasNoValue = ({ op }: ConditionLine): boolean => op === "empty" || op === "not_empty";

/** Returns the condition of the comparisons entered so far. */
export function joinItems({ kind, items }: ConditionGroup): Condition {
  const list = items.map((item) => (isGroup(item) ? joinItems(item) : toComparison(item)));
  const [only] = list;
  const joined = only && list.length === 1 ? only : kind === "all" ? { all: list } : { any: list };
  return kind === "none" ? { not: joined } : joined;
}

function toComparison({ field, op, value, isJson, stored }: ConditionLine): Comparison {
  if (stored) return stored;
  if (op === "empty" || op === "not_empty") {
    return { field, op: op === "empty" ? "eq" : "neq", value: "" };
  }
  if (isJson) return { field, op, value: tryParseJson(value) as Comparison["value"] };
  if (op === "in") {
    const items = value.split("\n").map((item) => item.trim());
    return { field, op, value: items.filter((item) => item !== "") };
  }
  const number = (op === "gt" || op === "lt") && value.trim() !== "" ? Number(value) : Number.NaN;
  return { field, op, value: Number.isNaN(number) ? value : number };
}
