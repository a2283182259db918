/** Input, state and outcome of one run of a policy. */
import type { Status } from "../contract/guard/actions.ts";
import type { Direction, Finding, Verdict } from "../contract/guard/evaluate.ts";
import type { CompiledPolicy } from "./compile-policy.ts";
import type { FactLookup } from "./condition.ts";
import type { ApprovalState } from "./create-finding.ts";
import type { FoundMatch, InspectionContext, Match } from "./detector.ts";
import type { CreatePseudonym, TextChange } from "./masking/apply-masks.ts";
import type { Segment } from "./segment.ts";

export interface PolicyRunInput {
  direction: Direction;
  segments: readonly Segment[];
  /** Parts of texts that have several authors, by text: rules for some origins read them instead. */
  parts: ReadonlyMap<Segment, readonly Segment[]>;
  facts: FactLookup;
  context: InspectionContext;
  /** Ids of disabled detectors. */
  disabled: ReadonlySet<string>;
  approval: ApprovalState;
  fail_mode: "closed" | "open";
  createPseudonym: CreatePseudonym;
  /** Lets other evaluations of this thread run, before a detector inspects this much text. */
  waitForTurn: (bytes: number) => Promise<void>;
  /** Evaluated in a worker, as large bodies and the parts of large batches are. */
  isPartOfLargeBody: boolean;
  /** Logs a failed detector of a fail-open collector. Otherwise the error is thrown. */
  logFailure: (failure: DetectorFailure, cause: unknown) => void;
  /** Returns whether the policy does not report this match, or its passage. Undefined: it reports every match. */
  isExempt:
    | ((detector_id: string, match: Pick<Match, "at">, hasPassage?: boolean) => boolean)
    | undefined;
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

export type Matches = readonly Match[];

/** State that the gates and rules of a run share. */
export interface PolicyRun extends Pick<PolicyOutcome, "findings" | "matches" | "detectors"> {
  policy: CompiledPolicy;
  input: PolicyRunInput;
  /** Matches that Transform replaces, in rule order. */
  masked: Matches[];
  scores: Record<string, number> | undefined;
  /** All matches so far. Undefined: no rule reads them. */
  found: FoundMatch[] | undefined;
}

/** Adds a finding and its matches. Returns the action that it takes. */
export function addFinding(run: PolicyRun, finding: Finding, matches: Matches) {
  run.findings.push(finding);
  run.matches.push(matches);
  return finding.outcome.action;
}

/**
 * Separates the matches that a mask can replace from those in attachments and in names of members and tools, which
 * are only reported, as in observe mode.
 */
export function splitByMaskable(found: Matches): [Matches, Matches] {
  const canRewrite = ({ at }: Match) => at?.segment.source !== "attachment" && !at?.segment.isName;
  if (found.every(canRewrite)) return [found, []];
  return [found.filter(canRewrite), found.filter((match) => !canRewrite(match))];
}
