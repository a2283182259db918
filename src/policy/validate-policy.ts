/** Validates what the schema of a policy cannot express, when the policy is saved. */
import { describeIssues } from "../contract/decode.ts";
import type { Condition } from "../contract/guard/conditions.ts";
import type { Direction } from "../contract/guard/evaluate.ts";
import { DIRECTIONS } from "../contract/guard/evaluate.ts";
import type { Gate, PolicyInput, Rule } from "../contract/guard/policies.ts";
import { measurePattern } from "../lib/linear-regex/compile-pattern.ts";
import { WITHHELD_ORIGINS } from "./compile-policy.ts";
import { validateCondition } from "./condition.ts";
import type { Detector } from "./detector.ts";
import { detectors } from "./detectors/all.ts";
import { dataLossPrevention } from "./detectors/data-loss-prevention.ts";
import { originsOf } from "./segment.ts";

/** Compiling 10,000 patterns took seconds and 6 GB. */
const MAX_PATTERNS = 1000;
/** Patterns of this size, or part of it, count as one. A pattern of 2,000 characters has a size of 2,000 to 7,000. */
const PATTERN_SIZE = 100;

/** Returns the first problem, prefixed with the member it is about. `kindOf` returns the kind of a stored detector. */
export function validatePolicy(
  policy: PolicyInput,
  kindOf: (detector_id: string) => string | undefined,
): string | undefined {
  let patterns = 0;
  for (const size of measurePatterns(policy)) {
    // The validation below reports an invalid pattern.
    if (size === undefined) break;
    patterns += Math.ceil(size / PATTERN_SIZE);
    if (patterns <= MAX_PATTERNS) continue;
    return `gates: the masks and conditions of a policy must have at most ${MAX_PATTERNS} patterns together; long patterns count as several`;
  }
  for (const [index, gate] of policy.gates.entries()) {
    const problem = validateGate(gate, index, policy.gates);
    if (problem) return problem;
  }
  for (const direction of DIRECTIONS) {
    for (const [index, rule] of policy[`${direction}_rules`].entries()) {
      const problem = validateRule(rule, index, direction, kindOf);
      if (problem) return problem;
    }
  }
  return undefined;
}

/** Measures the patterns of masks and conditions, in the order of their validation; undefined for an invalid one. */
function* measurePatterns({
  gates,
  input_rules,
  output_rules,
}: PolicyInput): Generator<number | undefined> {
  for (const { mask, when } of gates) {
    const rules: unknown = mask?.rules;
    for (const rule of Array.isArray(rules) ? rules : []) {
      yield rule?.type === "regex" ? measurePattern(`${rule.pattern}`) : 1;
    }
    yield* measureMatches(when);
  }
  for (const { when } of [...input_rules, ...output_rules]) yield* measureMatches(when);
}

function* measureMatches(condition: Condition | null): Generator<number | undefined> {
  if (condition === null) return;
  if ("not" in condition) yield* measureMatches(condition.not);
  else if ("op" in condition) {
    if (condition.op === "match") yield measurePattern(String(condition.value));
  } else {
    const list = "all" in condition ? condition.all : condition.any;
    for (const inner of list) yield* measureMatches(inner);
  }
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
  if (rule.action === "withhold" && !readsWithheld(rule, detector, direction)) {
    return `${at}.action: withhold is only for tool results and documents, which this rule does not read; choose another action or other origins`;
  }
  if (rule.action === "ask" && direction === "output") {
    return `${at}.action: ask is allowed only in input_rules; choose report or block`;
  }
  return validateWhen(rule, at);
}

const readsWithheld = ({ origins }: Rule, { reads }: Detector, direction: Direction): boolean =>
  reads[direction].some((source) => {
    const [origin] = originsOf({ source, isFile: false });
    return origin && WITHHELD_ORIGINS.includes(origin) && (origins?.includes(origin) ?? true);
  });

function validateWhen({ when }: Pick<Rule, "when">, at: string): string | undefined {
  const invalid = when && validateCondition(when, `${at}.when`);
  return invalid ? `${invalid.at}: ${invalid.problem}` : undefined;
}
