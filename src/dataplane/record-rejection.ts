/** Records requests that are rejected before they are authenticated: for the key, the gateway slug or the method. */
import type { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import { findKeyAtGateway } from "../snapshot/find-consumer.ts";
import { getLiveState, type LiveState } from "./live-state.ts";
import { buildEvent, createProgress } from "./request-progress.ts";
import type { MatchedRequest } from "./stages.ts";

/** Per second, gateway and error code: anyone can send such requests. The others are only counted. */
const MAX_RECORDED = 10;

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
  if (isSampled(getLiveState(deps), `${gateway.id} ${code}`)) deps.recordRequest(event);
  else deps.countRequest(event);
}

function isSampled({ rejections }: LiveState, reason: string): boolean {
  const second = Math.floor(elapsedMs() / 1000);
  if (rejections.second !== second) {
    rejections.second = second;
    rejections.counts.clear();
  }
  const count = (rejections.counts.get(reason) ?? 0) + 1;
  rejections.counts.set(reason, count);
  return count <= MAX_RECORDED;
}
