/** Creates findings: the source, the signal, the locations and the action taken; never the matched value. */
import type { Action } from "../contract/guard/actions.ts";
import type { Finding } from "../contract/guard/evaluate.ts";
import type { CompiledGate, CompiledPolicy, CompiledRule } from "./compile-policy.ts";
import type { Match } from "./detector.ts";
import { createNameMasker } from "./masking/name-masker.ts";
import { hashPassage, hasPassages } from "./passage.ts";

/** `granted`: an approver allowed exactly this request. `waived`: requests need no approval. Both turn `ask` into `report`. */
export type ApprovalState = "none" | "granted" | "waived";

interface FindingMatches {
  matches: readonly Match[];
  approval: ApprovalState;
}

/** Keeps the response below 1 MiB, the most that many clients read. */
export const MAX_LOCATIONS = 20;
const MAX_TEXT_CHARACTERS = 512;

/** Gate with any action but skip, which creates no finding. */
type ActingGate = CompiledGate & { action: Action };

export function createGateFinding(
  policy: CompiledPolicy,
  gate: ActingGate,
  result: FindingMatches,
): Finding {
  const { action, would_be } = resolveAction(gate.action, gate.observe, result.approval);
  return {
    source: { kind: "gate", gate_name: gate.name, ...policyReference(policy) },
    signal: { type: `gate_${gate.action}`, confidence: 1 },
    outcome: { action },
    evidence: {
      condition: gate.when,
      ...(result.matches.length > 0 && describeMatches(result.matches)),
      ...would_be,
    },
  };
}

export function createDetectorFinding(
  policy: CompiledPolicy,
  rule: CompiledRule,
  result: FindingMatches,
): Finding {
  const { id, name, kind } = rule.detector;
  const { action, would_be } = resolveAction(rule.action, rule.observe, result.approval);
  const withPassages = hasPassages(rule);
  const best = result.matches.reduce((one, other) =>
    other.confidence > one.confidence ? other : one,
  );
  return {
    source: {
      kind: "detector",
      plugin: kind,
      detector_id: id,
      detector_name: name,
      ...policyReference(policy),
    },
    signal: { type: best.type, confidence: best.confidence },
    outcome: { action },
    evidence: {
      ...describeMatches(result.matches, withPassages),
      ...(withPassages && best.at && { passage_sha256: hashPassage(best.at) }),
      ...would_be,
    },
  };
}

const policyReference = ({ id, version }: CompiledPolicy) => ({
  policy_id: id,
  policy_version: version,
});

/** Downgrades the action to `report` in observe mode or without need of approval, and records the original one. */
function resolveAction(
  action: Action,
  observe: boolean,
  approval: ApprovalState,
): { action: Action; would_be: { would_be?: Action; approved?: true } } {
  if (observe && action !== "report") return { action: "report", would_be: { would_be: action } };
  if (action === "ask" && approval !== "none") {
    const would_be = approval === "granted" ? ({ approved: true } as const) : { would_be: action };
    return { action: "report", would_be };
  }
  return { action, would_be: {} };
}

/** `withPassages`: a match can be withheld or allowed by the hash of its passage. */
function describeMatches(matches: readonly Match[], withPassages = false) {
  const labels: Record<string, number> = {};
  const { pointer } = createNameMasker();
  for (const { label } of matches) labels[label] = (labels[label] ?? 0) + 1;
  return {
    count: matches.length,
    labels,
    places: matches.slice(0, MAX_LOCATIONS).map(({ label, type, confidence, at, detail }) => ({
      label,
      type,
      confidence,
      ...(at && {
        pointer: truncateText(pointer(at.segment.pointer)),
        ...(at.segment.inner !== null && {
          inner_pointer: truncateText(pointer(at.segment.inner)),
        }),
        start: at.start,
        end: at.end,
        ...(withPassages && { passage_sha256: hashPassage(at) }),
      }),
      ...(detail && truncateDetail(detail)),
    })),
  };
}

/** Caps text that the payload controls, such as member and tool names. */
const truncateText = (text: string) =>
  text.length > MAX_TEXT_CHARACTERS
    ? `${text.slice(0, MAX_TEXT_CHARACTERS).toWellFormed()}…`
    : text;

const truncateDetail = (detail: NonNullable<Match["detail"]>) =>
  Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [
      name,
      typeof value === "string" ? truncateText(value) : value,
    ]),
  );
