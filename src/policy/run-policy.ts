/** Runs a policy over a payload: gates in order, then the rules of the direction, then one verdict. */
import type { Uninspected } from "../contract/guard/evaluate.ts";
import type { CompiledPolicy } from "./compile-policy.ts";
import type { Match } from "./detector.ts";
import { applyMasks } from "./masking/apply-masks.ts";
import type { PolicyOutcome, PolicyRun, PolicyRunInput } from "./policy-run.ts";
import { resolveStatus } from "./resolve-status.ts";
import { runGates } from "./run-gates.ts";
import { runRules } from "./run-rules.ts";

export async function runPolicy(
  policy: CompiledPolicy,
  input: PolicyRunInput,
): Promise<PolicyOutcome> {
  const uninspected = input.context.uninspected.slice(0, MAX_UNINSPECTED).map(truncatePointer);
  const detectors = { run: 0, skipped: 0, failed: [], uninspected };
  const run: PolicyRun = {
    policy,
    input,
    findings: [],
    matches: [],
    masked: [],
    detectors,
    scores: undefined,
    found: undefined,
  };
  const rules = policy.rules[input.direction];
  const isDecidedByGate = policy.gates.length > 0 && (await runGates(run));
  const activeRules = isDecidedByGate
    ? []
    : rules.filter((rule) => !input.disabled.has(rule.detector.id) && rule.test(input.facts));
  await runRules(run, activeRules);
  run.detectors.skipped = rules.length - run.detectors.run - run.detectors.failed.length;

  const status = resolveStatus(run.findings);
  const masked = status === "transform" || status === "ask" ? run.masked.flat() : [];
  const isPrivate = ({ type }: Match) => type === "pii" || type === "secret";
  return {
    status,
    findings: run.findings,
    matches: run.matches,
    changes: applyMasks(masked, input.createPseudonym),
    hidden: masked.filter(isPrivate),
    detectors: run.detectors,
    scores: run.scores,
  };
}

/** Keeps the response below 1 MiB, the most that many clients read. */
const MAX_UNINSPECTED = 50;
const truncatePointer = (part: Uninspected) => ({ ...part, pointer: part.pointer.slice(0, 512) });
