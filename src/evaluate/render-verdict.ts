/** Renders the result of an evaluation in the format of its endpoint. */
import type { Finding } from "../contract/guard/evaluate.ts";
import type { Evaluation } from "../evaluation.ts";
import { renderHook } from "./hooks/render-hook.ts";
import { toLitellm } from "./litellm.ts";
import type { EvaluationInput } from "./stages.ts";

export function renderVerdict(
  { format, litellm, hook }: EvaluationInput,
  evaluation: Evaluation,
): string {
  if (litellm) return JSON.stringify(toLitellm(litellm, evaluation));
  if (hook) return renderHook(hook, evaluation);
  const { verdict, transformed } = evaluation;
  const members = JSON.stringify(format === "guard" ? flattenVerdict(verdict) : verdict);
  // Inserted as text: parsing and serializing it again would change large numbers.
  return `${members.slice(0, -1)},"transformed_payload":${transformed ?? "null"}}`;
}

/** Returns the verdict that clients of `/v1/guard` read: flat findings, and an empty status for allow. */
function flattenVerdict(verdict: Evaluation["verdict"]): object {
  const findings = verdict.findings.map((finding) => ({ ...finding, ...flattenFinding(finding) }));
  const status = verdict.status === "allow" ? "" : verdict.status;
  return { ...verdict, status, findings };
}

const flattenFinding = ({ source, signal, outcome, evidence }: Finding) => ({
  detection_type: signal.type,
  confidence: signal.confidence,
  rule_name: source.gate_name ?? source.detector_name,
  status: outcome.action,
  policy_id: source.policy_id,
  detector_id: source.detector_id,
  action: outcome.action,
  details: evidence,
});
