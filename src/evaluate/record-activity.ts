/** The Activity event of an evaluation, and as much of its texts as the collector keeps (spec 6). */
import type { EvaluationEvent } from "../contract/activity.ts";
import { readIdTime } from "../lib/ids.ts";
import type { CompiledPolicy } from "../policy/compile-policy.ts";
import type { PolicyOutcome } from "../policy/run-policy.ts";
import {
  createFacts,
  type Known,
  readApplication,
  selectAttributes,
  truncateName,
} from "./create-facts.ts";
import { selectContent } from "./select-content.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";

/** Where an evaluation came from. */
export interface Origin {
  trace_id: string;
  request_id: string;
  client_address: string;
  user_agent: string | null;
}

export interface Decided {
  known: Known;
  program: CompiledPolicy | undefined;
  outcome: Pick<PolicyOutcome, "findings" | "detectors" | "hidden"> & {
    status: EvaluationEvent["status"];
    latency_ms: number;
  };
  origin: Origin;
}

export function recordActivity(host: EvaluationHost, decided: Decided): Promise<void> {
  const { known, program, outcome, origin } = decided;
  const { collector, request, payload } = known;
  const facts = createFacts(known);
  const model = facts("model.name");
  const event: EvaluationEvent = {
    id: origin.request_id,
    // What lists are ordered and narrowed by.
    time: new Date(readIdTime(origin.request_id)).toISOString(),
    trace_id: origin.trace_id,
    collector_id: collector.id,
    collector_name: collector.name,
    gateway_id: collector.gateway_id,
    policy_id: program?.id ?? null,
    policy_name: program?.name ?? null,
    policy_version: program?.version ?? null,
    policy_mode: program?.mode ?? null,
    consumer_id: request.consumer_id ?? null,
    session_id: known.session_id,
    direction: known.direction,
    protocol: known.protocol,
    application: readApplication(known),
    model: typeof model === "string" ? truncateName(model) : null,
    tool: payload.tool.name === null ? null : truncateName(payload.tool.name),
    status: outcome.status,
    findings: outcome.findings,
    detectors: outcome.detectors,
    attributes: selectAttributes(facts),
    client_address: origin.client_address,
    user_agent: origin.user_agent?.slice(0, 256) ?? null,
    latency_ms: outcome.latency_ms,
    content_storage: collector.content_storage,
  };
  const content = selectContent(collector.content_storage, payload, outcome);
  return host.record({ event, content });
}
