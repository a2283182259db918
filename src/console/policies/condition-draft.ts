/** Draft of a condition: comparisons joined by all or any, or JSON for nested conditions. */

import { AppError } from "../../contract/errors.ts";
import type { CONDITION_FIELDS, Condition, Operator } from "../../contract/guard/conditions.ts";
import { parseJson } from "../ui/schema-draft.ts";

export interface ConditionLine {
  field: string;
  op: Operator;
  value: string;
}

export type ConditionDraft = (
  | { kind: "always" }
  | { kind: "all" | "any"; lines: readonly ConditionLine[] }
  | { kind: "json"; text: string }
) & {
  /** The stored condition, which an unchanged draft saves as is. */
  stored?: Condition;
};

type Comparison = Extract<Condition, { field: string }>;

/** Suggested fields, and their descriptions. */
export const FIELD_LABELS: Record<(typeof CONDITION_FIELDS)[number], string> = {
  "consumer.id": "consumer_id",
  "consumer.name": "consumer name",
  "consumer.tag": "consumer tag",
  "consumer.type": "consumer type",
  "model.name": "model name",
  "model.provider": "model provider",
  "collector.id": "collector ID",
  "collector.type": "collector type",
  "source.application": "application",
  "hook.event": "hook event of a coding agent",
  "session.id": "session_id",
  protocol: "llm, mcp or a2a",
  direction: "input or output",
  "tool.name": "tool name",
  "tool.command": "command of the tool",
  "tool.arguments": "arguments of the tool",
};

export const OPERATOR_LABELS: Record<Operator, string> = {
  eq: "is",
  neq: "is not",
  gt: "is greater than",
  lt: "is less than",
  contains: "contains",
  not_contains: "does not contain",
  in: "is one of",
  match: "matches the pattern",
};

export const newLine = (): ConditionLine => ({ field: "tool.name", op: "eq", value: "" });

export function toConditionDraft(condition: Condition | null): ConditionDraft {
  if (condition === null) return { kind: "always" };
  const kind = "any" in condition ? "any" : "all";
  const list =
    "all" in condition ? condition.all : "any" in condition ? condition.any : [condition];
  const lines = list.map(toLine);
  const simple = lines.filter((line) => line !== undefined);
  return simple.length === lines.length
    ? { kind, lines: simple, stored: condition }
    : { kind: "json", text: JSON.stringify(condition, null, 2), stored: condition };
}

/** Returns undefined if the condition does not fit in one comparison. */
function toLine(condition: Condition): ConditionLine | undefined {
  if (!("field" in condition)) return undefined;
  const { field, op, value } = condition;
  if (!Array.isArray(value)) return value === "" ? undefined : { field, op, value: String(value) };
  const separable = value.every((item) => typeof item === "string" && !item.includes(","));
  return separable ? { field, op, value: value.join(", ") } : undefined;
}

/** `at` is the path in the request body: `gates[0].when`. */
export function toCondition(draft: ConditionDraft, at: string): Condition | null {
  if (draft.stored) return draft.stored;
  if (draft.kind === "always") return null;
  // The server validates it.
  if (draft.kind === "json") return parseJson(draft.text, at) as Condition;
  const empty = draft.lines.findIndex(({ value }) => value.trim() === "");
  // An empty value would match everything without the field; that needs JSON, to be explicit.
  if (empty >= 0) {
    throw new AppError(
      "validation_failed",
      `${at}.${draft.kind}[${empty}].value: must not be empty`,
    );
  }
  return joinLines(draft);
}

/** Returns the condition of the comparisons entered so far. */
export function joinLines({ kind, lines }: Extract<ConditionDraft, { lines: unknown }>): Condition {
  const list = lines.map(toComparison);
  const [only] = list;
  if (only && list.length === 1) return only;
  return kind === "all" ? { all: list } : { any: list };
}

function toComparison({ field, op, value }: ConditionLine): Comparison {
  if (op === "in") {
    const items = value.split(",").map((item) => item.trim());
    return { field, op, value: items.filter((item) => item !== "") };
  }
  const number = (op === "gt" || op === "lt") && value.trim() !== "" ? Number(value) : Number.NaN;
  return { field, op, value: Number.isNaN(number) ? value : number };
}
