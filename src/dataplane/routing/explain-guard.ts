/** Explains which policy would evaluate a request of a consumer, by the selection of real evaluations. */
import { AppError } from "../../contract/errors.ts";
import type { Explanation } from "../../contract/gateway/explain.ts";
import type { Capability } from "../../contract/gateway/registries.ts";
import type { Deps } from "../../deps.ts";
import { findProgram } from "../../snapshot/find-program.ts";
import type { CollectorView, ConsumerView } from "../../snapshot/snapshot.ts";
import { EVALUATED_RESPONSES } from "../guard/guard-response.ts";
import type { MatchedEndpoint } from "../match-endpoint.ts";

interface ExplainedCall {
  capability: Capability;
  body: MatchedEndpoint["body"];
  method: string;
}

/** Throws `guard_unavailable` if the guard cannot run. */
export function explainGuard(
  deps: Pick<Deps, "snapshot" | "now">,
  consumer: ConsumerView,
  { capability, body, method }: ExplainedCall,
): Explanation["guard"] {
  const { id, guard } = consumer;
  if (!guard) return null;
  const { llm, stream, on_ask } = guard;
  const collector = deps.snapshot().collectors.get(guard.collector_id);
  if (!collector) throw new AppError("guard_unavailable", "The guard's collector was deleted.");
  const policy = findPolicy(collector, id, deps.now);
  return {
    collector: { id: collector.id, name: collector.name },
    policy: policy
      ? { id: policy.id, name: policy.name, version: policy.version, mode: policy.mode }
      : null,
    input: llm.input && method === "POST" && body !== "none",
    output: llm.output && EVALUATED_RESPONSES.has(capability),
    stream,
    on_ask,
  };
}

function findPolicy(collector: CollectorView, consumer_id: string, now: Deps["now"]) {
  try {
    return findProgram(collector, consumer_id, now);
  } catch (cause) {
    throw new AppError("guard_unavailable", "The guard's policy cannot be run.", { cause });
  }
}
