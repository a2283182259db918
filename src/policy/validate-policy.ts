/** What one schema cannot say about a policy: refused when it is saved, not when it is needed. */
import { describeIssues } from "../contract/decode.ts";
import type { Direction } from "../contract/evaluate.ts";
import { DIRECTIONS } from "../contract/evaluate.ts";
import type { Gate, PolicyInput, Rule } from "../contract/policies.ts";
import { validateCondition } from "./condition.ts";
import { detectors } from "./detectors/all.ts";
import { dataLossPrevention } from "./detectors/data-loss-prevention.ts";

/** `kindOf` gives the kind of a stored detector. The answer names the member and what is wrong with it. */
export function validatePolicy(
  policy: PolicyInput,
  kindOf: (detector_id: string) => string | undefined,
): string | undefined {
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

function validateGate(gate: Gate, index: number, gates: readonly Gate[]): string | undefined {
  const at = `gates[${index}]`;
  if (gates.findIndex(({ name }) => name === gate.name) < index) {
    return `${at}.name: another gate has this name`;
  }
  if (gate.action === "transform" && !gate.mask) return `${at}.mask: transform needs one`;
  if (gate.action !== "transform" && gate.mask) return `${at}.mask: is for transform only`;
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
  if (!detector) return `${at}.detector_id: there is no detector with the id ${rule.detector_id}`;
  if (detector.reads[direction].length === 0) {
    return `${at}.detector_id: ${kind} does not look at ${direction}`;
  }
  if (rule.action === "transform" && !detector.masks) {
    return `${at}.action: ${kind} cannot rewrite; choose report, ask or block`;
  }
  if (rule.action === "ask" && direction === "output") {
    return `${at}.action: ask is for input rules; choose report or block`;
  }
  return validateWhen(rule, at);
}

function validateWhen({ when }: Pick<Rule, "when">, at: string): string | undefined {
  const found = when && validateCondition(when, `${at}.when`);
  return found ? `${found.at}: ${found.problem}` : undefined;
}
