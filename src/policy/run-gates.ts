/** Runs the gates of a policy in order. */
import { createGateFinding } from "./create-finding.ts";
import { addFinding, type Matches, type PolicyRun, splitByMaskable } from "./policy-run.ts";

/**
 * Returns true when a gate blocks or asks, so that the detectors are skipped. A block ends the evaluation of gates;
 * after an ask, a later block gate still wins. A skip ends it without a finding and keeps the findings of earlier gates.
 */
export async function runGates(run: PolicyRun): Promise<boolean> {
  const { policy, input } = run;
  const { approval } = input;
  let isAskPending = false;
  for (const gate of policy.gates) {
    const { action } = gate;
    // The response exists already: an approval could not prevent it.
    if (action === "ask" && input.direction === "output") continue;
    if (!gate.test(input.facts)) continue;
    if (action === "skip") return isAskPending;
    const texts = input.segments.filter(({ source }) => source !== "attachment");
    const found = (await gate.inspect?.(texts, input.context)) ?? [];
    const [matches, unmaskable] = splitByMaskable(found);
    const report = (acting: typeof gate, reported: Matches) => {
      const result = { matches: reported, approval };
      return addFinding(run, createGateFinding(policy, { ...acting, action }, result), reported);
    };
    if (unmaskable.length > 0) report({ ...gate, observe: true }, unmaskable);
    if (gate.inspect && matches.length === 0) continue;
    const taken = report(gate, matches);
    if (taken === "transform") run.masked.push(matches);
    if (taken === "block") return true;
    if (taken === "ask") isAskPending = true;
  }
  return isAskPending;
}
