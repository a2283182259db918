/** Suggests the input of a policy test: content that a rule or gate of the policy matches. */
import type { Condition } from "../../contract/guard/conditions.ts";
import type { DetectorResource } from "../../contract/guard/detectors.ts";
import type { Policy } from "../../contract/guard/policies.ts";
import { toObjectDraft } from "../tools/object-draft.ts";
import { COMMAND, INJECTION, PAYMENT, PROMPT, SECRET } from "./payload-samples.ts";
import type { TestInput } from "./test-fields.tsx";

type Suggestion = Partial<Pick<TestInput, "kind" | "text" | "tool" | "arguments">>;

/** Rules come first: most tests are of prompts. Returns {} if no sample is known to match. */
export function suggestTestInput(
  { gates, input_rules }: Policy,
  detectors: readonly DetectorResource[],
): Suggestion {
  const [text] = input_rules.flatMap(({ detector_id, enabled }) => {
    const detector = detectors.find(({ id }) => id === detector_id);
    return (enabled && detector && findText(detector)) || [];
  });
  const [call] = gates.flatMap(({ when, action, enabled }) => {
    const tool = enabled && action !== "skip" && when && findTool(when);
    const values = action === "ask" ? PAYMENT : COMMAND;
    return tool ? { kind: "call" as const, tool, arguments: toObjectDraft(values) } : [];
  });
  return text ? { ...call, kind: "user", text } : (call ?? {});
}

/** Returns a tool name that a single comparison matches. */
function findTool(when: Condition): string | undefined {
  if (!("field" in when) || when.field !== "tool.name") return undefined;
  const { op, value } = when;
  const first = String(Array.isArray(value) ? value[0] : value);
  if (op === "match") return findLiteral(first);
  return op === "eq" || op === "in" || op === "contains" ? first : undefined;
}

/** Returns the first alternative of a pattern if it is literal text. */
function findLiteral(pattern: string): string | undefined {
  const [first = ""] = pattern.replace(/^\(\?i\)/, "").split("|");
  return /^(\w|\\[^\w])+$/.test(first) ? first.replaceAll("\\", "") : undefined;
}

function findText({ kind, settings }: DetectorResource): string | undefined {
  if (kind !== "prompt_moderation") return TEXTS[kind];
  const { keywords } = settings;
  return Array.isArray(keywords) && keywords.length > 0 ? `What is ${keywords[0]}?` : undefined;
}

const TEXTS: Record<string, string> = {
  data_loss_prevention: PROMPT,
  secrets: SECRET,
  prompt_guard: INJECTION,
  indirect_prompt_injection: INJECTION,
};
