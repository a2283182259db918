/** What a finding says: who fired, on what kind of thing, where, and what was done; never the value itself. */
import type { Action, Finding } from "../contract/evaluate.ts";
import type { CompiledGate, CompiledRule, Program } from "./compile-policy.ts";
import type { Match } from "./detector.ts";
import { maskNames } from "./mask-names.ts";

interface Fired {
  matches: readonly Match[];
  /** What would ask was approved. */
  approved: boolean;
}

/** Clients read at most 1 MiB of an answer. */
const MAX_PLACES = 20;
const LONGEST_TEXT = 512;

/** A skip makes no finding. */
type FiringGate = CompiledGate & { action: Action };

export function gateFinding(program: Program, gate: FiringGate, fired: Fired): Finding {
  const { action, would_be } = outcome(gate.action, gate.observe, fired.approved);
  return {
    source: { kind: "gate", gate_name: gate.name, ...policy(program) },
    signal: { type: `gate_${gate.action}`, confidence: 1 },
    outcome: { action },
    evidence: {
      condition: gate.when,
      ...(fired.matches.length > 0 && places(fired.matches)),
      ...would_be,
    },
  };
}

export function detectorFinding(program: Program, rule: CompiledRule, fired: Fired): Finding {
  const { id, name, kind } = rule.detector;
  const { action, would_be } = outcome(rule.action, rule.observe, fired.approved);
  const surest = fired.matches.reduce((one, other) =>
    other.confidence > one.confidence ? other : one,
  );
  return {
    source: {
      kind: "detector",
      plugin: kind,
      detector_id: id,
      detector_name: name,
      ...policy(program),
    },
    signal: { type: surest.type, confidence: surest.confidence },
    outcome: { action },
    evidence: { ...places(fired.matches), ...would_be },
  };
}

const policy = ({ id, version }: Program) => ({ policy_id: id, policy_version: version });

/** Observe stops at report, and says what would have been done; so does what was approved. */
function outcome(
  action: Action,
  observe: boolean,
  approved: boolean,
): { action: Action; would_be: { would_be?: Action; approved?: true } } {
  if (observe && action !== "report") return { action: "report", would_be: { would_be: action } };
  if (action === "ask" && approved) return { action: "report", would_be: { approved: true } };
  return { action, would_be: {} };
}

function places(matches: readonly Match[]) {
  const labels: Record<string, number> = {};
  const { pointer } = maskNames();
  for (const { label } of matches) labels[label] = (labels[label] ?? 0) + 1;
  return {
    count: matches.length,
    labels,
    places: matches.slice(0, MAX_PLACES).map(({ label, type, confidence, at, detail }) => ({
      label,
      type,
      confidence,
      ...(at && {
        pointer: short(pointer(at.segment.pointer)),
        ...(at.segment.inner !== null && { inner_pointer: short(pointer(at.segment.inner)) }),
        start: at.start,
        end: at.end,
      }),
      ...(detail && shortened(detail)),
    })),
  };
}

/** Names of members and of tools are as long as who wrote them wants: no finding shall burst an answer. */
const short = (text: string) =>
  text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT).toWellFormed()}…` : text;

const shortened = (detail: NonNullable<Match["detail"]>) =>
  Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [
      name,
      typeof value === "string" ? short(value) : value,
    ]),
  );
