/** Records requests that are rejected before they are authenticated: for the key, the consumer, the gateway slug or the method. */
import type { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { findKey } from "../snapshot/find-consumer.ts";
import { getLiveState } from "./live-state.ts";
import { buildEvent, createProgress, NO_UPSTREAM } from "./request-progress.ts";
import type { MatchedRequest } from "./stages.ts";

export function recordRejection(deps: Deps, matched: MatchedRequest, error: AppError): void {
  const snapshot = deps.snapshot();
  const sent = findKey(snapshot, matched.request.headers, deps.now());
  // The gateway of an unknown consumer is that of the key, or unknown too.
  const consumer = snapshot.consumersBySlug.get(matched.slug) ?? sent?.consumer;
  if (!consumer) return;
  const { gateway } = consumer;
  const key = sent?.consumer.gateway.id === gateway.id ? sent : null;
  const rejected = { ...matched, consumer, key, progress: createProgress() };
  const { status, code } = error;
  const event = buildEvent(rejected, { status, error, ...NO_UPSTREAM }, 0);
  // Anyone can send such requests, and events fill the disk.
  if (getLiveState(deps).sampleRejection(deps.now(), `${gateway.id} ${code}`))
    deps.recordRequest(event);
  else deps.countRequest(event);
}
