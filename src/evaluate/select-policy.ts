/** Selects the collector of an evaluation and the policy that applies: the consumer's, the collector's, or none. */
import type { AssignedEvaluation, EvaluationInput } from "./stages.ts";
import type { EvaluationHost } from "./worker/evaluation-host.ts";

/** Returns a promise only in a worker. */
export function selectPolicy(
  host: EvaluationHost,
  input: EvaluationInput,
): AssignedEvaluation | Promise<AssignedEvaluation> {
  const { gateway_id, collector_key, consumer_id } = input.request;
  const selection = host.selectPolicy({ gateway_id, collector_key, consumer_id });
  return selection instanceof Promise
    ? selection.then((selected) => ({ ...input, ...selected }))
    : { ...input, ...selection };
}
