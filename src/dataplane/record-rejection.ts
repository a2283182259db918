/** Records requests that are rejected before they are authenticated: for the key, the gateway slug or the method. */
import type { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { findKeyAtGateway } from "../snapshot/find-consumer.ts";
import { buildEvent, createProgress } from "./request-progress.ts";
import { getLiveState } from "./routing/live-state.ts";
import type { MatchedRequest } from "./stages.ts";

export function recordRejection(deps: Deps, matched: MatchedRequest, error: AppError): void {
  const snapshot = deps.snapshot();
  const consumer = snapshot.consumersBySlug.get(matched.slug);
  // The gateway of an unknown consumer is unknown too.
  if (!consumer) return;
  const { gateway } = consumer;
  const key = findKeyAtGateway(snapshot, matched.request.headers, gateway, deps.now()) ?? null;
  const rejected = { ...matched, consumer, key, progress: createProgress() };
  const { status, code } = error;
  const none = { upstream_error: null, registry: null, usage: null };
  const event = buildEvent(rejected, { status, error, ...none }, 0);
  // Anyone can send such requests, and events fill the disk.
  if (getLiveState(deps).sampleRejection(deps.now(), `${gateway.id} ${code}`))
    deps.recordRequest(event);
  else deps.countRequest(event);
}
