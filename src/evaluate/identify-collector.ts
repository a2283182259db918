/** Identifies the collector of an evaluation: the key's own, or the one that the body names beside a token. */
import { AppError } from "../contract/errors.ts";
import type { EvaluateRequest } from "../contract/guard/evaluate.ts";
import type { Deps } from "../deps.ts";
import type { CollectorView } from "../snapshot/snapshot.ts";
import type { Caller } from "./identify-caller.ts";

export function identifyCollector(
  deps: Deps,
  caller: Caller,
  { gateway_id, collector_key }: Pick<EvaluateRequest, "gateway_id" | "collector_key">,
): CollectorView {
  if (caller.kind === "collector") {
    const { collector } = caller;
    const matches =
      (gateway_id ?? collector.gateway_id) === collector.gateway_id &&
      (collector_key ?? collector.collector_key) === collector.collector_key;
    if (matches) return collector;
    const text = "gateway_id or collector_key names a different collector than the key's own.";
    throw new AppError("invalid_request", text);
  }
  if ((gateway_id === undefined) === (collector_key === undefined)) {
    const text = "With a token, exactly one of gateway_id and collector_key must be sent.";
    throw new AppError("invalid_request", text);
  }
  const isNamed = (view: CollectorView) =>
    gateway_id === undefined
      ? view.collector_key === collector_key
      : view.gateway_id === gateway_id;
  const found = [...deps.snapshot().collectors.values()].filter(
    (view) => isNamed(view) && canUseCollector(caller, view),
  );
  const [collector, another] = found;
  if (collector && !another) return collector;
  const field = gateway_id === undefined ? "collector_key" : "gateway_id";
  const problem = another ? "matches several collectors" : "no collector of this token matches";
  throw new AppError("invalid_request", `${field}: ${problem}.`);
}

/** Returns whether the caller may evaluate for a collector and read its approvals. */
export const canUseCollector = (caller: Caller, { id, gateway_id }: CollectorView): boolean =>
  caller.kind === "administrator"
    ? caller.gateway_ids === null || caller.gateway_ids.includes(gateway_id ?? "")
    : caller.collector.id === id;
