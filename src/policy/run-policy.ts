/** Runs a policy over a payload: gates in order, then the rules of the direction, then one verdict. */
import { AppError, type ErrorCode } from "../contract/errors.ts";
import type {
  Direction,
  Finding,
  Status,
  Uninspected,
  Verdict,
} from "../contract/guard/evaluate.ts";
import type { CompiledPolicy, CompiledRule } from "./compile-policy.ts";
import type { FactLookup } from "./condition.ts";
import { type ApprovalState, createDetectorFinding, createGateFinding } from "./create-finding.ts";
import type { FoundMatch, InspectionContext, Match } from "./detector.ts";
import { applyMasks, type CreatePseudonym, type TextChange } from "./masking/apply-masks.ts";
import { resolveStatus } from "./resolve-status.ts";
import type { Segment } from "./segment.ts";

export interface PolicyRunInput {
  direction: Direction;
  segments: readonly Segment[];
  facts: FactLookup;
  context: InspectionContext;
  /** Ids of disabled detectors. */
  disabled: ReadonlySet<string>;
  approval: ApprovalState;
  fail_mode: "closed" | "open";
  createPseudonym: CreatePseudonym;
  /** Logs a failed detector of a fail-open collector. Otherwise the error is thrown. */
  logFailure: (failure: DetectorFailure, cause: unknown) => void;
  /** Returns whether the policy does not report this match. Undefined: it reports every match. */
  isExempt: ((detector_id: string, match: Pick<Match, "at">) => boolean) | undefined;
}

export type DetectorFailure = Verdict["detectors"]["failed"][number];

export interface PolicyOutcome {
  status: Status;
  findings: Finding[];
  /** Matches of each finding. */
  matches: Matches[];
  changes: TextChange[];
  /** The personal data and secrets that the changes hide. */
  hidden: readonly Match[];
  detectors: Verdict["detectors"];
  /** Highest score of each detector whose rule only observes, by detector id. Undefined: none scores. */
  scores: Scores | undefined;
}

export type Scores = Readonly<Record<string, number>>;

export async function runPolicy(
  policy: CompiledPolicy,
  input: PolicyRunInput,
): Promise<PolicyOutcome> {
  const uninspected = input.context.uninspected.slice(0, MAX_UNINSPECTED).map(truncatePointer);
  const detectors = { run: 0, skipped: 0, failed: [], uninspected };
  const run: RunState = {
    findings: [],
    matches: [],
    masked: [],
    detectors,
    scores: undefined,
    found: undefined,
  };
  const rules = policy.rules[input.direction];
  const isDecidedByGate = policy.gates.length > 0 && (await runGates(policy, input, run));
  const activeRules = isDecidedByGate
    ? []
    : rules.filter((rule) => !input.disabled.has(rule.detector.id) && rule.test(input.facts));
  await runRules(policy, input, run, activeRules);
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

interface RunState extends Pick<PolicyOutcome, "findings" | "matches" | "detectors"> {
  /** Matches that Transform replaces, in rule order. */
  masked: Matches[];
  scores: Record<string, number> | undefined;
  /** All matches so far. Undefined: no rule reads them. */
  found: FoundMatch[] | undefined;
}

type Matches = readonly Match[];

/**
 * Evaluates the gates in order. Returns true when a gate blocks or asks, so that the detectors are skipped. A block
 * ends the evaluation of gates; after an ask, a later block gate still wins. A skip ends it without a finding and keeps
 * the findings of earlier gates.
 */
async function runGates(
  policy: CompiledPolicy,
  input: PolicyRunInput,
  run: RunState,
): Promise<boolean> {
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
    const addFinding = (acting: typeof gate, matches: Matches) => {
      const { approval } = input;
      const finding = createGateFinding(policy, { ...acting, action }, { matches, approval });
      run.findings.push(finding);
      run.matches.push(matches);
      return finding.outcome.action;
    };
    if (unmaskable.length > 0) addFinding({ ...gate, observe: true }, unmaskable);
    if (gate.inspect && matches.length === 0) continue;
    const taken = addFinding(gate, matches);
    if (taken === "transform") run.masked.push(matches);
    if (taken === "block") return true;
    if (taken === "ask") isAskPending = true;
  }
  return isAskPending;
}

/**
 * Runs local rules first, then remote rules concurrently, then rules that transform. Stops at the first block. Rules that
 * accumulate run before those that transform, also after a block.
 */
async function runRules(
  policy: CompiledPolicy,
  input: PolicyRunInput,
  run: RunState,
  rules: readonly CompiledRule[],
): Promise<void> {
  // Yields to other requests between detectors: one may take a second for a body of several MiB.
  const { payload_bytes, attachments } = input.context;
  const isLarge = payload_bytes > LARGE_BYTES || attachments.length > 0;
  const accumulating = rules.filter(({ accumulates }) => accumulates);
  if (accumulating.length > 0) run.found = [];
  let isBlocked = false;
  for (const rule of rules) {
    if (rule.action === "transform" || rule.remote || rule.accumulates) continue;
    if (isLarge) await new Promise(setImmediate);
    const found = inspectRule(rule, input, run);
    isBlocked = addFinding(rule, found instanceof Promise ? await found : found) === "block";
    if (isBlocked) break;
  }
  const remoteRules = rules.filter(({ action, remote }) => action !== "transform" && remote);
  if (remoteRules.length > 0 && !isBlocked) {
    const results = await Promise.all(
      remoteRules.map(async (rule) => inspectRule(rule, input, run)),
    );
    const actions = remoteRules.map((rule, index) => addFinding(rule, results[index] ?? []));
    isBlocked = actions.includes("block");
  }
  for (const rule of accumulating) {
    const action = addFinding(rule, await inspectRule(rule, input, run));
    isBlocked ||= action === "block";
  }
  if (isBlocked) return;
  for (const rule of rules) {
    if (rule.action !== "transform") continue;
    if (isLarge) await new Promise(setImmediate);
    const found = inspectRule(rule, input, run);
    const [matches, unmaskable] = splitByMaskable(found instanceof Promise ? await found : found);
    if (addFinding(rule, matches) === "transform") run.masked.push(matches);
    addFinding({ ...rule, observe: true }, unmaskable);
  }

  function addFinding(rule: CompiledRule, matches: Matches) {
    if (matches.length === 0) return undefined;
    const finding = createDetectorFinding(policy, rule, { matches, approval: input.approval });
    run.findings.push(finding);
    run.matches.push(matches);
    return finding.outcome.action;
  }
}

/**
 * Separates the matches that a mask can replace from those in attachments and in names of members and tools, which
 * are only reported, as in observe mode.
 */
function splitByMaskable(found: Matches): [Matches, Matches] {
  const canRewrite = ({ at }: Match) => at?.segment.source !== "attachment" && !at?.segment.isName;
  if (found.every(canRewrite)) return [found, []];
  return [found.filter(canRewrite), found.filter((match) => !canRewrite(match))];
}

const LARGE_BYTES = 256 * 1024;

/** Runs the detector of a rule on the segments it reads. Returns a promise only if the detector does. */
function inspectRule(
  rule: CompiledRule,
  input: PolicyRunInput,
  run: RunState,
): Matches | Promise<Matches> {
  const reads = (segment: Segment) =>
    rule.reads.has(segment.source) && (!segment.isNumber || rule.numbers);
  const { segments } = input;
  try {
    const found = rule.inspect(
      segments.every(reads) ? segments : segments.filter(reads),
      createContext(rule, input, run),
    );
    if (found instanceof Promise) return awaitMatches(found, rule, input, run);
    run.detectors.run += 1;
    return selectMatches(found, rule, input, run);
  } catch (cause) {
    return recordFailure(cause, rule, input, run);
  }
}

/** Adds what only some detectors read. */
function createContext(
  { detector, accumulates }: CompiledRule,
  { context, isExempt }: PolicyRunInput,
  { found = [] }: RunState,
): InspectionContext {
  if (!accumulates && !isExempt) return context;
  return {
    ...context,
    ...(accumulates && { found }),
    isExempt: isExempt && ((match) => isExempt(detector.id, match)),
  };
}

async function awaitMatches(
  found: Promise<Matches>,
  rule: CompiledRule,
  input: PolicyRunInput,
  run: RunState,
): Promise<Matches> {
  try {
    const matches = await found;
    run.detectors.run += 1;
    return selectMatches(matches, rule, input, run);
  } catch (cause) {
    return recordFailure(cause, rule, input, run);
  }
}

/** Returns the matches to report, and keeps the highest score of a rule that only observes. */
function selectMatches(
  all: Matches,
  { detector, scores, observe, action }: CompiledRule,
  { isExempt }: PolicyRunInput,
  run: RunState,
): Matches {
  const found = isExempt ? all.filter((match) => !isExempt(detector.id, match)) : all;
  const { kind } = detector;
  if (run.found) for (const match of found) run.found.push({ kind, match });
  if (!scores) return found;
  if (found.length > 0 && (observe || action === "report")) {
    const before = run.scores?.[detector.id] ?? 0;
    const highest = found.reduce((max, { confidence }) => Math.max(max, confidence), before);
    run.scores = { ...run.scores, [detector.id]: highest };
  }
  return found.filter(({ reported }) => reported !== false);
}

/** Throws when the collector is fail-closed; otherwise lists the failed detector in the verdict and continues. */
function recordFailure(
  cause: unknown,
  { detector }: CompiledRule,
  input: PolicyRunInput,
  run: RunState,
): Matches {
  // Not failures of the detector, so the fail mode does not apply: the request ends, or is sent again later.
  if (cause instanceof AppError && NOT_FAILURES.has(cause.code)) throw cause;
  const { id, name, kind } = detector;
  const error =
    cause instanceof AppError ? cause.message : `The ${kind} detector failed unexpectedly.`;
  const details = { detector_id: id, detector_name: name, error };
  const text = `The detector "${name}" failed, and this collector is fail-closed.`;
  if (input.fail_mode === "closed") throw new AppError("detector_failed", text, { cause, details });
  run.detectors.failed.push(details);
  input.logFailure(details, cause);
  return [];
}

const NOT_FAILURES: ReadonlySet<ErrorCode> = new Set([
  "client_closed",
  "shutting_down",
  "overloaded",
]);
