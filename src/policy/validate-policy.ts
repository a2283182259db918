/** Validates what the schema of a policy cannot express, when the policy is saved. */
import { describeIssues } from "../contract/decode.ts";
import type { Condition } from "../contract/guard/conditions.ts";
import type { Direction } from "../contract/guard/evaluate.ts";
import { DIRECTIONS } from "../contract/guard/evaluate.ts";
import type { Gate, PolicyInput, Rule } from "../contract/guard/policies.ts";
import { validateCondition } from "./condition.ts";
import { detectors } from "./detectors/all.ts";
import { dataLossPrevention } from "./detectors/data-loss-prevention.ts";

/** Compiling 10,000 patterns took seconds and 6 GB. */
const MAX_PATTERNS = 1000;

/** Returns the first problem, prefixed with the member it is about. `kindOf` returns the kind of a stored detector. */
export function validatePolicy(
  policy: PolicyInput,
  kindOf: (detector_id: string) => string | undefined,
): string | undefined {
  if (countPatterns(policy) > MAX_PATTERNS) {
    return `gates: the masks and conditions of a policy must have at most ${MAX_PATTERNS} patterns together`;
  }
  const problems = [
    ...policy.gates.map((gate, index) => validateGate(gate, index, policy.gates)),
    ...DIRECTIONS.flatMap((direction) =>
      policy[`${direction}_rules`].map((rule, index) =>
        validateRule(rule, index, direction, kindOf),
      ),
    ),
  ];
  return problems.find((problem) => problem !== undefined);
}

/** Counts the custom rules of masks and the conditions with `match`. */
function countPatterns({ gates, input_rules, output_rules }: PolicyInput): number {
  const masked = gates.map(({ mask }) => (Array.isArray(mask?.rules) ? mask.rules.length : 0));
  const matched = [...gates, ...input_rules, ...output_rules].map(({ when }) => countMatches(when));
  return [...masked, ...matched].reduce((sum, count) => sum + count, 0);
}

function countMatches(condition: Condition | null): number {
  if (condition === null) return 0;
  if ("not" in condition) return countMatches(condition.not);
  if ("op" in condition) return condition.op === "match" ? 1 : 0;
  const list = "all" in condition ? condition.all : condition.any;
  return list.reduce((sum, inner) => sum + countMatches(inner), 0);
}

function validateGate(gate: Gate, index: number, gates: readonly Gate[]): string | undefined {
  const at = `gates[${index}]`;
  if (gates.findIndex(({ name }) => name === gate.name) < index) {
    return `${at}.name: must be unique in the policy; another gate is named ${JSON.stringify(gate.name)}`;
  }
  if (gate.action === "transform" && !gate.mask)
    return `${at}.mask: required when action is transform`;
  if (gate.action !== "transform" && gate.mask)
    return `${at}.mask: allowed only when action is transform`;
  const parsed = gate.mask && dataLossPrevention.settings.safeParse(gate.mask);
  if (parsed?.error) {
    const issues = parsed.error.issues.map((issue) => ({
      ...issue,
      path: ["gates", index, "mask", ...issue.path],
    }));
    return describeIssues(issues);
  }
  return validateWhen(gate, at);
}

function validateRule(
  rule: Rule,
  index: number,
  direction: Direction,
  kindOf: (detector_id: string) => string | undefined,
): string | undefined {
  const at = `${direction}_rules[${index}]`;
  const kind = kindOf(rule.detector_id);
  const detector = kind === undefined ? undefined : detectors.get(kind);
  if (!detector) {
    return `${at}.detector_id: unknown detector ${rule.detector_id}; create it first or choose another`;
  }
  if (detector.reads[direction].length === 0) {
    return `${at}.detector_id: a ${kind} detector does not inspect ${direction}; use it in rules of the other direction`;
  }
  if (rule.action === "transform" && !detector.masks) {
    return `${at}.action: a ${kind} detector cannot transform; choose report, ask or block`;
  }
  if (rule.action === "ask" && direction === "output") {
    return `${at}.action: ask is allowed only in input_rules; choose report or block`;
  }
  return validateWhen(rule, at);
}

function validateWhen({ when }: Pick<Rule, "when">, at: string): string | undefined {
  const invalid = when && validateCondition(when, `${at}.when`);
  return invalid ? `${invalid.at}: ${invalid.problem}` : undefined;
}
