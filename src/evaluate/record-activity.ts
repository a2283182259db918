/** Records the Activity event of an evaluation, and as much of its content as the collector stores. */

import { AppError } from "../contract/errors.ts";
import type { EvaluationEvent } from "../contract/guard/activity.ts";
import { readIdTime } from "../lib/ids.ts";
import type { PolicyOutcome } from "../policy/policy-run.ts";
import { NO_POLICY } from "./apply-policy.ts";
import { createFacts, readApplication, selectAttributes, truncateName } from "./create-facts.ts";
import { fingerprintFindings } from "./match-fingerprint.ts";
import { selectContent } from "./select-content.ts";
import type { DecidedEvaluation, ExtractedEvaluation } from "./stages.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";

/** Skips evaluations that are not recorded. */
export function recordActivity(
  host: EvaluationHost,
  decided: DecidedEvaluation,
  latency_ms: number,
): Promise<void> {
  return record(host, decided, { ...decided.outcome, latency_ms });
}

/** Records a failed detector as an event with the status `error`; other errors leave no event. */
export async function recordFailure(
  host: EvaluationHost,
  extracted: ExtractedEvaluation,
  { thrown, latency_ms }: { thrown: unknown; latency_ms: number },
): Promise<void> {
  const { code, details } = AppError.from(thrown);
  if (code !== "detector_failed") return;
  const { detector_id = "", detector_name = "", error = "" } = details;
  const failed = [{ detector_id, detector_name, error }];
  const detectors = { ...NO_POLICY.detectors, failed };
  await record(host, extracted, { ...NO_POLICY, detectors, status: "error", latency_ms });
}

interface Result
  extends Pick<PolicyOutcome, "findings" | "matches" | "detectors" | "hidden" | "scores"> {
  status: EvaluationEvent["status"];
  latency_ms: number;
}

async function record(
  host: EvaluationHost,
  extracted: ExtractedEvaluation,
  result: Result,
): Promise<void> {
  const { recorded, collector, payload, format } = extracted;
  if (!recorded) return;
  const content = selectContent(collector.content_storage, payload, result);
  // Like requests of the data plane: allowed traffic is in Activity, and a log line for each would cost more.
  const logged = format !== "internal" || result.status !== "allow";
  try {
    const { scores } = result;
    const event = toEvent(extracted, result);
    const fingerprints = fingerprintFindings(result, extracted.keyring);
    await host.record({ event, content, fingerprints }, { logged, scores });
  } catch (thrown) {
    // A fail-open collector gets its verdict; the event stays queued in memory and was counted.
    const isTolerated = AppError.from(thrown).code === "activity_failed";
    if (!isTolerated || collector.fail_mode !== "open") throw thrown;
  }
}

function toEvent(extracted: ExtractedEvaluation, result: Result): EvaluationEvent {
  const { collector, program, request, payload, origin } = extracted;
  const facts = createFacts(extracted);
  const model = facts("model.name");
  return {
    id: origin.request_id,
    // The time of the id, because lists are ordered by id and filtered by time.
    time: new Date(readIdTime(origin.request_id)).toISOString(),
    trace_id: origin.trace_id,
    collector_id: collector.id,
    collector_name: collector.name,
    gateway_id: origin.gateway_id ?? collector.gateway_id,
    policy_id: program?.id ?? null,
    policy_name: program?.name ?? null,
    policy_version: program?.version ?? null,
    policy_mode: program?.mode ?? null,
    consumer_id: request.consumer_id ?? null,
    session_id: extracted.session_id,
    direction: extracted.direction,
    protocol: extracted.protocol,
    application: readApplication(facts),
    model: typeof model === "string" ? truncateName(model) : null,
    tool: payload.tool.name === null ? null : truncateName(payload.tool.name),
    status: result.status,
    findings: result.findings,
    detectors: result.detectors,
    attributes: selectAttributes(facts),
    client_address: origin.client_address,
    user_agent: origin.user_agent?.slice(0, 256) ?? null,
    latency_ms: result.latency_ms,
    content_storage: collector.content_storage,
  };
}
