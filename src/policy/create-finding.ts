/** What a finding says: who fired, on what kind of thing, where, and what was done; never the value itself. */
import type { Action, Finding } from "../contract/evaluate.ts";
import type { CompiledGate, CompiledPolicy, CompiledRule } from "./compile-policy.ts";
import type { Match } from "./detector.ts";
import { createNameMasker } from "./masking/name-masker.ts";

interface FindingMatches {
  matches: readonly Match[];
  /** What would ask was approved. */
  approved: boolean;
}

/** Clients read at most 1 MiB of an answer. */
const MAX_LOCATIONS = 20;
const MAX_TEXT_CHARACTERS = 512;

/** A skip makes no finding. */
type ActingGate = CompiledGate & { action: Action };

export function createGateFinding(
  program: CompiledPolicy,
  gate: ActingGate,
  fired: FindingMatches,
): Finding {
  const { action, would_be } = resolveAction(gate.action, gate.observe, fired.approved);
  return {
    source: { kind: "gate", gate_name: gate.name, ...policyReference(program) },
    signal: { type: `gate_${gate.action}`, confidence: 1 },
    outcome: { action },
    evidence: {
      condition: gate.when,
      ...(fired.matches.length > 0 && describeMatches(fired.matches)),
      ...would_be,
    },
  };
}

export function createDetectorFinding(
  program: CompiledPolicy,
  rule: CompiledRule,
  fired: FindingMatches,
): Finding {
  const { id, name, kind } = rule.detector;
  const { action, would_be } = resolveAction(rule.action, rule.observe, fired.approved);
  const surest = fired.matches.reduce((one, other) =>
    other.confidence > one.confidence ? other : one,
  );
  return {
    source: {
      kind: "detector",
      plugin: kind,
      detector_id: id,
      detector_name: name,
      ...policyReference(program),
    },
    signal: { type: surest.type, confidence: surest.confidence },
    outcome: { action },
    evidence: { ...describeMatches(fired.matches), ...would_be },
  };
}

const policyReference = ({ id, version }: CompiledPolicy) => ({
  policy_id: id,
  policy_version: version,
});

/** Observe stops at report, and says what would have been done; so does what was approved. */
function resolveAction(
  action: Action,
  observe: boolean,
  approved: boolean,
): { action: Action; would_be: { would_be?: Action; approved?: true } } {
  if (observe && action !== "report") return { action: "report", would_be: { would_be: action } };
  if (action === "ask" && approved) return { action: "report", would_be: { approved: true } };
  return { action, would_be: {} };
}

function describeMatches(matches: readonly Match[]) {
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
      }),
      ...(detail && truncateDetail(detail)),
    })),
  };
}

/** Names of members and of tools are as long as who wrote them wants: no finding shall burst an answer. */
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
