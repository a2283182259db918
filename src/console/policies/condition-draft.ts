/** A condition while it is typed: lines that are joined by all or any, or JSON for deeper ones. */
import type { CONDITION_FIELDS, Condition, Operator } from "../../contract/conditions.ts";
import { AppError } from "../../contract/errors.ts";
import { parseJson } from "../ui/schema-draft.ts";

export interface ConditionLine {
  field: string;
  op: Operator;
  value: string;
}

export type ConditionDraft = (
  | { how: "always" }
  | { how: "all" | "any"; lines: readonly ConditionLine[] }
  | { how: "json"; text: string }
) & {
  /** What is stored, until something is typed: an untouched condition is saved as it was. */
  kept?: Condition;
};

type Comparison = Extract<Condition, { field: string }>;

/** What people may choose from, and what each is about. */
export const FIELD_LABELS: Record<(typeof CONDITION_FIELDS)[number], string> = {
  "consumer.id": "the consumer_id",
  "consumer.name": "name of the consumer",
  "consumer.tag": "tag of the consumer",
  "consumer.type": "type of the consumer",
  "model.name": "the model",
  "model.provider": "who runs the model",
  "collector.id": "id of the collector",
  "collector.type": "type of the collector",
  "source.application": "the application",
  "session.id": "the session_id",
  protocol: "llm, mcp or a2a",
  direction: "input or output",
  "tool.name": "tool that is called",
  "tool.command": "command it runs",
  "tool.arguments": "what it is called with",
};

export const OPERATOR_LABELS: Record<Operator, string> = {
  eq: "is",
  neq: "is not",
  gt: "is more than",
  lt: "is less than",
  contains: "contains",
  not_contains: "does not contain",
  in: "is one of",
  match: "matches the pattern",
};

export const newLine = (): ConditionLine => ({ field: "tool.name", op: "eq", value: "" });

export function toConditionDraft(condition: Condition | null): ConditionDraft {
  if (condition === null) return { how: "always" };
  const how = "any" in condition ? "any" : "all";
  const list =
    "all" in condition ? condition.all : "any" in condition ? condition.any : [condition];
  const lines = list.map(toLine);
  const simple = lines.filter((line) => line !== undefined);
  return simple.length === lines.length
    ? { how, lines: simple, kept: condition }
    : { how: "json", text: JSON.stringify(condition, null, 2), kept: condition };
}

/** Undefined: it is more than one line can say. */
function toLine(condition: Condition): ConditionLine | undefined {
  if (!("field" in condition)) return undefined;
  const { field, op, value } = condition;
  if (!Array.isArray(value)) return value === "" ? undefined : { field, op, value: String(value) };
  const separable = value.every((item) => typeof item === "string" && !item.includes(","));
  return separable ? { field, op, value: value.join(", ") } : undefined;
}

/** `at` is where the server sees it: `gates[0].when`. */
export function toCondition(when: ConditionDraft, at: string): Condition | null {
  if (when.kept) return when.kept;
  if (when.how === "always") return null;
  // The server judges what it holds.
  if (when.how === "json") return parseJson(when.text, at) as Condition;
  const empty = when.lines.findIndex(({ value }) => value.trim() === "");
  // It would hold for everything that has no such member: who means that says it in JSON.
  if (empty >= 0) {
    throw new AppError("validation_failed", `${at}.${when.how}[${empty}].value: must not be empty`);
  }
  return joinLines(when);
}

/** As far as it is typed. */
export function joinLines({ how, lines }: Extract<ConditionDraft, { lines: unknown }>): Condition {
  const list = lines.map(toComparison);
  const [only] = list;
  if (only && list.length === 1) return only;
  return how === "all" ? { all: list } : { any: list };
}

function toComparison({ field, op, value }: ConditionLine): Comparison {
  if (op === "in") {
    const items = value.split(",").map((item) => item.trim());
    return { field, op, value: items.filter((item) => item !== "") };
  }
  const number = (op === "gt" || op === "lt") && value.trim() !== "" ? Number(value) : Number.NaN;
  return { field, op, value: Number.isNaN(number) ? value : number };
}
