/** Runs a policy over a payload: gates in order, then the rules of the direction, then one verdict. */
import { AppError } from "../contract/errors.ts";
import type { Direction, Finding, Status, Uninspected, Verdict } from "../contract/evaluate.ts";
import type { CompiledPolicy, CompiledRule } from "./compile-policy.ts";
import type { FactLookup } from "./condition.ts";
import { createDetectorFinding, createGateFinding } from "./create-finding.ts";
import type { InspectionContext, Match } from "./detector.ts";
import { applyMasks, type CreatePseudonym, type TextChange } from "./masking/apply-masks.ts";
import { resolveStatus } from "./resolve-status.ts";
import type { Segment } from "./segment.ts";

export interface PolicyRunInput {
  direction: Direction;
  segments: readonly Segment[];
  facts: FactLookup;
  surroundings: InspectionContext;
  /** Ids of detectors that are switched off. */
  disabled: ReadonlySet<string>;
  /** Whether an approver has allowed exactly this: what would ask reports instead. */
  approved: boolean;
  fail_mode: "closed" | "open";
  pseudonym: CreatePseudonym;
}

export interface PolicyOutcome {
  status: Status;
  findings: Finding[];
  changes: TextChange[];
  /** The personal data and secrets that the changes hide. */
  hidden: readonly Match[];
  detectors: Verdict["detectors"];
}

export async function runPolicy(
  program: CompiledPolicy,
  judged: PolicyRunInput,
): Promise<PolicyOutcome> {
  const uninspected = judged.surroundings.uninspected
    .slice(0, MAX_UNINSPECTED)
    .map(truncatePointer);
  const detectors = { run: 0, skipped: 0, failed: [], uninspected };
  const run: RunState = { findings: [], masked: [], detectors };
  const rules = program.rules[judged.direction];
  const ended = program.gates.length > 0 && (await runGates(program, judged, run));
  const wanted = ended
    ? []
    : rules.filter((rule) => !judged.disabled.has(rule.detector.id) && rule.test(judged.facts));
  await runRules(program, judged, run, wanted);
  run.detectors.skipped = rules.length - run.detectors.run - run.detectors.failed.length;

  const status = resolveStatus(run.findings);
  const masked = status === "transform" || status === "ask" ? run.masked.flat() : [];
  const isPrivate = ({ type }: Match) => type === "pii" || type === "secret";
  return {
    status,
    findings: run.findings,
    changes: applyMasks(masked, judged.pseudonym),
    hidden: masked.filter(isPrivate),
    detectors: run.detectors,
  };
}

/** Clients read at most 1 MiB of a response. */
const MAX_UNINSPECTED = 50;
const truncatePointer = (part: Uninspected) => ({ ...part, pointer: part.pointer.slice(0, 512) });

interface RunState extends Pick<PolicyOutcome, "findings" | "detectors"> {
  /** What Transform replaces, in the order of the rules. */
  masked: Matches[];
}

type Matches = readonly Match[];

/**
 * Returns true when a gate blocks or asks: the detectors are skipped. A block ends the gates, an ask does not: a
 * block gate below it wins. A skip ends them without a finding; findings of the gates above it remain.
 */
async function runGates(
  program: CompiledPolicy,
  judged: PolicyRunInput,
  run: RunState,
): Promise<boolean> {
  let asks = false;
  for (const gate of program.gates) {
    const { action } = gate;
    // Nobody can be asked about an answer that exists already.
    if (action === "ask" && judged.direction === "output") continue;
    if (!gate.test(judged.facts)) continue;
    if (action === "skip") return asks;
    const texts = judged.segments.filter(({ source }) => source !== "attachment");
    const found = (await gate.inspect?.(texts, judged.surroundings)) ?? [];
    const [matches, fixed] = splitByMaskable(found);
    const fire = (fired: typeof gate, matches: Matches) => {
      const { approved } = judged;
      const finding = createGateFinding(program, { ...fired, action }, { matches, approved });
      run.findings.push(finding);
      return finding.outcome.action;
    };
    if (fixed.length > 0) fire({ ...gate, observe: true }, fixed);
    if (gate.inspect && matches.length === 0) continue;
    const done = fire(gate, matches);
    if (done === "transform") run.masked.push(matches);
    if (done === "block") return true;
    if (done === "ask") asks = true;
  }
  return asks;
}

/** Rules that only look come first, those that wait for others together, those that rewrite last. */
async function runRules(
  program: CompiledPolicy,
  judged: PolicyRunInput,
  run: RunState,
  rules: readonly CompiledRule[],
): Promise<void> {
  // Others have their turn between two detectors: each may take a second for a body of megabytes.
  const { payload_bytes, attachments } = judged.surroundings;
  const isLarge = payload_bytes > LARGE_BYTES || attachments.length > 0;
  for (const rule of rules) {
    if (rule.action === "transform" || rule.remote) continue;
    if (isLarge) await new Promise(setImmediate);
    const found = inspectRule(rule, judged, run);
    if (judge(rule, found instanceof Promise ? await found : found) === "block") return;
  }
  const waiting = rules.filter(({ action, remote }) => action !== "transform" && remote);
  if (waiting.length > 0) {
    const answers = await Promise.all(waiting.map(async (rule) => inspectRule(rule, judged, run)));
    const judgments = waiting.map((rule, index) => judge(rule, answers[index] ?? []));
    if (judgments.includes("block")) return;
  }
  for (const rule of rules) {
    if (rule.action !== "transform") continue;
    if (isLarge) await new Promise(setImmediate);
    const [matches, fixed] = splitByMaskable(await inspectRule(rule, judged, run));
    if (judge(rule, matches) === "transform") run.masked.push(matches);
    judge({ ...rule, observe: true }, fixed);
  }

  function judge(rule: CompiledRule, matches: Matches) {
    if (matches.length === 0) return undefined;
    const finding = createDetectorFinding(program, rule, { matches, approved: judged.approved });
    run.findings.push(finding);
    return finding.outcome.action;
  }
}

/**
 * Separates the matches that a mask can replace from those in attachments and in names of members and tools, which
 * are reported as in observe mode.
 */
function splitByMaskable(found: Matches): [Matches, Matches] {
  const canRewrite = ({ at }: Match) => at?.segment.source !== "attachment" && !at?.segment.isName;
  if (found.every(canRewrite)) return [found, []];
  return [found.filter(canRewrite), found.filter((match) => !canRewrite(match))];
}

const LARGE_BYTES = 256 * 1024;

/** A promise only where a detector has to wait: there are a dozen of them, and most are done at once. */
function inspectRule(
  rule: CompiledRule,
  judged: PolicyRunInput,
  run: RunState,
): Matches | Promise<Matches> {
  const reads = (segment: Segment) =>
    rule.reads.has(segment.source) && (!segment.isNumber || rule.numbers);
  const { segments } = judged;
  try {
    const found = rule.inspect(
      segments.every(reads) ? segments : segments.filter(reads),
      judged.surroundings,
    );
    if (found instanceof Promise) return awaitMatches(found, rule, judged, run);
    run.detectors.run += 1;
    return found;
  } catch (cause) {
    return recordFailure(cause, rule, judged, run);
  }
}

async function awaitMatches(
  found: Promise<Matches>,
  rule: CompiledRule,
  judged: PolicyRunInput,
  run: RunState,
): Promise<Matches> {
  try {
    const matches = await found;
    run.detectors.run += 1;
    return matches;
  } catch (cause) {
    return recordFailure(cause, rule, judged, run);
  }
}

/** spec 7: fail-closed is a 500, fail-open goes on and says which detector did not look. */
function recordFailure(
  cause: unknown,
  { detector }: CompiledRule,
  judged: PolicyRunInput,
  run: RunState,
): Matches {
  const { id, name, kind } = detector;
  const error = cause instanceof AppError ? cause.message : `${kind} could not inspect this.`;
  const details = { detector_id: id, detector_name: name, error };
  const text = `The detector "${name}" failed, and this collector is fail-closed.`;
  if (judged.fail_mode === "closed")
    throw new AppError("detector_failed", text, { cause, details });
  run.detectors.failed.push(details);
  return [];
}
