/** Runs the rules of a policy: local rules, remote rules, rules that accumulate, and rules that rewrite. */
import type { CompiledRule } from "./compile-policy.ts";
import { createDetectorFinding } from "./create-finding.ts";
import { inspectRule } from "./inspect-rule.ts";
import { addFinding, type Matches, type PolicyRun, splitByMaskable } from "./policy-run.ts";
import { keepViews } from "./views/view.ts";
import { maskPassages, splitByWithheld } from "./withhold.ts";

/** Stops at the first block, except for rules that accumulate. */
export async function runRules(run: PolicyRun, rules: readonly CompiledRule[]): Promise<void> {
  const accumulating = rules.filter(({ accumulates }) => accumulates);
  if (accumulating.length > 0) run.found = [];
  const isLarge = hasLargeInput(run);
  let isBlocked = false;
  for (const rule of rules) {
    if (rewrites(rule) || rule.remote || rule.accumulates) continue;
    if (isLarge) await run.input.waitForTurn(run.input.context.payload_bytes);
    const found = inspectRule(run, rule);
    isBlocked =
      reportMatches(run, rule, found instanceof Promise ? await found : found) === "block";
    if (isBlocked) break;
    freeResults(run);
  }
  const remote = rules.filter((rule) => rule.remote && !rewrites(rule));
  if (remote.length > 0 && !isBlocked) isBlocked = await runRemoteRules(run, remote);
  for (const rule of accumulating) {
    const action = reportMatches(run, rule, await inspectRule(run, rule));
    isBlocked ||= action === "block";
  }
  const rewriting = rules.filter(rewrites);
  if (rewriting.length > 0 && !isBlocked) await runRewrites(run, rewriting);
}

const rewrites = ({ action }: CompiledRule): boolean =>
  action === "transform" || action === "withhold";

/** Runs the rules concurrently. Returns true if one blocks. */
async function runRemoteRules(run: PolicyRun, rules: readonly CompiledRule[]): Promise<boolean> {
  const results = await Promise.all(rules.map(async (rule) => inspectRule(run, rule)));
  const actions = rules.map((rule, index) => reportMatches(run, rule, results[index] ?? []));
  return actions.includes("block");
}

async function runRewrites(run: PolicyRun, rules: readonly CompiledRule[]): Promise<void> {
  const isLarge = hasLargeInput(run);
  for (const rule of rules) {
    if (isLarge) await run.input.waitForTurn(run.input.context.payload_bytes);
    const found = inspectRule(run, rule);
    rewriteMatches(run, rule, found instanceof Promise ? await found : found);
    freeResults(run);
  }
}

function rewriteMatches(run: PolicyRun, rule: CompiledRule, found: Matches): void {
  const { action } = rule;
  const [matches, fixed] = action === "withhold" ? splitByWithheld(found) : splitByMaskable(found);
  const isRewritten = reportMatches(run, rule, matches) === action;
  if (isRewritten) run.masked.push(action === "withhold" ? maskPassages(matches) : matches);
  reportMatches(run, { ...rule, observe: true }, fixed);
}

const HUGE_BYTES = 4 * 1024 * 1024;

/** Frees what a detector computed for a huge payload: of ten detectors, it takes 100 times the size of the text. */
function freeResults({ input: { context, segments } }: PolicyRun): void {
  if (context.payload_bytes > HUGE_BYTES) segments.forEach(keepViews);
}

/** Returns the action of the finding; undefined without matches. */
function reportMatches(run: PolicyRun, rule: CompiledRule, matches: Matches) {
  if (matches.length === 0) return undefined;
  const { policy, input } = run;
  const result = { matches, approval: input.approval };
  return addFinding(run, createDetectorFinding(policy, rule, result), matches);
}

/** All detectors together take up to 0.1 s for hostile text of this size; a single one takes seconds for several MiB. */
export const MEDIUM_BYTES = 8 * 1024;
const MANY_TEXTS = 1000;

/** Returns whether others should run between two detectors. */
const hasLargeInput = ({ input: { context, segments, isPartOfLargeBody } }: PolicyRun): boolean =>
  isPartOfLargeBody ||
  context.payload_bytes > MEDIUM_BYTES ||
  segments.length > MANY_TEXTS ||
  context.attachments.length > 0 ||
  // A small page may contain a mail with much compressed text.
  segments.some(({ page }) => page !== null);
