/** Records requests that are rejected before they are authenticated: for the key, the gateway slug or the method. */
import type { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { findKeyAtGateway } from "../snapshot/find-consumer.ts";
import { buildEvent, createProgress } from "./request-progress.ts";
import { getLiveState } from "./routing/live-state.ts";
import type { MatchedRequest } from "./stages.ts";

/** Per minute, gateway and error code: anyone can send such requests, and events fill the disk. The others are only counted. */
const MAX_RECORDED = 20;

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
  if (isSampled(deps, `${gateway.id} ${code}`)) deps.recordRequest(event);
  else deps.countRequest(event);
}

function isSampled(deps: Deps, reason: string): boolean {
  const { rejections } = getLiveState(deps);
  const minute = Math.floor(deps.now().getTime() / 60_000);
  if (rejections.minute !== minute) {
    rejections.minute = minute;
    rejections.counts.clear();
  }
  const count = (rejections.counts.get(reason) ?? 0) + 1;
  rejections.counts.set(reason, count);
  return count <= MAX_RECORDED;
}
