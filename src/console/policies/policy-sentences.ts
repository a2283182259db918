/** Describes conditions, gates and rules in sentences. */

import type { TextOrigin } from "../../contract/guard/actions.ts";
import type { CONDITION_FIELDS, Condition, Operator } from "../../contract/guard/conditions.ts";
import type { Gate, Rule } from "../../contract/guard/policies.ts";
import { joinWords } from "../ui/text.ts";

export const FIELD_LABELS: Record<(typeof CONDITION_FIELDS)[number], string> = {
  "tool.name": "tool name",
  "tool.command": "tool command",
  "tool.arguments": "tool arguments",
  "model.name": "model",
  "model.provider": "model provider",
  "consumer.id": "consumer ID",
  "consumer.name": "consumer name",
  "consumer.tag": "consumer tag",
  "consumer.type": "consumer type",
  "collector.id": "collector ID",
  "collector.type": "collector type",
  "source.application": "application",
  "hook.event": "hook event",
  "session.id": "session ID",
  protocol: "protocol",
  direction: "direction",
};

/** Prefix of a field that is one argument of the tool. */
export const ARGUMENT_PREFIX = "tool.arguments.";

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

/** Returns "when the model is gpt-4o and the tool name contains pay", or "always". */
export function describeCondition(condition: Condition | null): string {
  if (condition === null) return "always";
  if ("not" in condition) return `unless ${describeExpression(condition.not, " and ")}`;
  return `when ${describeExpression(condition)}`;
}

/** Returns "the model is gpt-4o". `inside` is the word that joins the conditions around it. */
export function describeExpression(condition: Condition, inside?: " and " | " or "): string {
  if ("field" in condition) return describeComparison(condition);
  if ("not" in condition) return `not (${describeExpression(condition.not)})`;
  const [list, word] =
    "all" in condition ? ([condition.all, " and "] as const) : ([condition.any, " or "] as const);
  const text = list.map((item) => describeExpression(item, word)).join(word);
  return inside && inside !== word && list.length > 1 ? `(${text})` : text;
}

function describeComparison({ field, op, value }: Extract<Condition, { field: string }>): string {
  const noun = field.startsWith(ARGUMENT_PREFIX)
    ? `the tool argument ${field.slice(ARGUMENT_PREFIX.length)}`
    : `the ${field in FIELD_LABELS ? FIELD_LABELS[field as keyof typeof FIELD_LABELS] : field}`;
  if (value === "" && op === "eq") return `${noun} is empty`;
  if (value === "" && op === "neq") return `${noun} is not empty`;
  const text = Array.isArray(value) ? joinWords(value.map(quote), "or") : quote(value);
  return `${noun} ${OPERATOR_LABELS[op]} ${text}`;
}

/** Quotes a value that would not read as one word. */
const quote = (value: unknown): string => {
  const text = String(value);
  if (text === "") return "…";
  return /[\s,()]/.test(text) ? `“${text}”` : text;
};

export const RULE_VERBS: Record<Rule["action"], string> = {
  block: "blocks",
  ask: "asks for approval of",
  transform: "masks",
  withhold: "withholds",
  report: "reports",
};

export const GATE_VERBS: Record<Gate["action"], string> = {
  block: "blocks",
  ask: "asks for approval",
  transform: "masks",
  report: "reports",
  skip: "skips the remaining gates",
};

export const ORIGIN_LABELS: Record<TextOrigin, string> = {
  user: "user messages",
  system: "system prompts",
  assistant: "model output",
  assistant_text: "text of the model",
  tool_definition: "tool definitions",
  tool_result: "tool results",
  document: "documents",
};

export const describeOrigins = (origins: Rule["origins"]): string =>
  origins
    ? joinWords(
        origins.map((origin) => ORIGIN_LABELS[origin]),
        "and",
      )
    : "the default origins";

/** Returns "blocks what Cards finds in user messages when the model is gpt-4o". */
export function describeRule(
  { action, origins, when }: Pick<Rule, "action" | "origins" | "when">,
  detector: string,
): string {
  const where = origins ? ` in ${describeOrigins(origins)}` : "";
  const text = `${RULE_VERBS[action]} what ${detector} finds${where}`;
  return when === null ? text : `${text} ${describeCondition(when)}`;
}

/** Returns "asks for approval when the tool name is pay". */
export const describeGate = ({ action, when }: Pick<Gate, "action" | "when">): string =>
  `${GATE_VERBS[action]} ${describeCondition(when)}`;
