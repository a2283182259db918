/** Progress of one request; at its end, cleanups run and the request event is recorded. */
import { AppError, ERRORS, type ErrorCode } from "../contract/errors.ts";
import type { RequestEvent } from "../contract/gateway/requests.ts";
import { findUser } from "../contract/gateway/user-header.ts";
import type { Deps } from "../deps.ts";
import { readIdTime } from "../lib/ids.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import type { ByteReservation } from "../reserve-bytes.ts";
import { getLiveState } from "./live-state.ts";
import { observeDurations } from "./request-metrics.ts";
import type { AuthenticatedRequest } from "./stages.ts";
import { MAX_ERROR_CHARACTERS, toStorableText } from "./storable-text.ts";
import type { TokenUsage } from "./upstream/read-usage.ts";

export interface UpstreamAttempt {
  registry_id: string;
  /** Null without a response. */
  status: number | null;
  error: ErrorCode | null;
  /** Message of `error`, or an excerpt of the upstream's error response. */
  message: string | null;
  ms: number;
}

export interface RequestProgress {
  /** Monotonic time in ms. */
  started_at: number;
  attempts: UpstreamAttempt[];
  model_asked: string | null;
  model_sent: string | null;
  request_bytes: number;
  response_bytes: number;
  /** Time to the first byte of the response. */
  ttfb_ms: number | null;
  /** Memory of bodies that are held, for all steps of the request. */
  reservation: ByteReservation | undefined;
  /** Called once, at any end of the request. */
  cleanups: (() => void)[];
  is_ended: boolean;
}

export interface RequestOutcome {
  status: number;
  error: AppError | null;
  /** Excerpt of the error response that was forwarded. */
  upstream_error: string | null;
  registry: { id: string; provider: { kind: string } } | null;
  usage: TokenUsage | null;
}

/** Part of the outcome of a request without a response of an upstream. */
export const NO_UPSTREAM = { upstream_error: null, registry: null, usage: null } as const;

export function startRequest(deps: Deps): RequestProgress {
  getLiveState(deps).metrics.in_flight += 1;
  return createProgress();
}

export const createProgress = (): RequestProgress => ({
  started_at: elapsedMs(),
  attempts: [],
  model_asked: null,
  model_sent: null,
  request_bytes: 0,
  response_bytes: 0,
  ttfb_ms: null,
  reservation: undefined,
  cleanups: [],
  is_ended: false,
});

/** Ends may race (the client disconnects while the upstream fails): only the first one counts. */
export function endRequest(
  deps: Deps,
  authenticated: AuthenticatedRequest,
  outcome: RequestOutcome,
): void {
  const { progress } = authenticated;
  if (progress.is_ended) return;
  progress.is_ended = true;
  progress.reservation?.release();
  for (const cleanup of progress.cleanups) cleanup();
  const total_ms = roundToTenths(elapsedMs() - progress.started_at);
  const { metrics } = getLiveState(deps);
  metrics.in_flight -= 1;
  observeDurations(metrics, authenticated, total_ms);
  deps.recordRequest(buildEvent(authenticated, resolveOutcome(deps, outcome), total_ms));
}

/** Reports a connection that the shutdown closed as such, not as a client that disconnected. */
function resolveOutcome({ responseDeadline }: Deps, outcome: RequestOutcome): RequestOutcome {
  const { error, status } = outcome;
  if (error?.code !== "client_closed" || !responseDeadline.aborted) return outcome;
  const shutdown = new AppError("shutting_down");
  return {
    ...outcome,
    status: status === ERRORS.client_closed.status ? shutdown.status : status,
    error: shutdown,
  };
}

/** `key` is null if the request has no valid key. */
export function buildEvent(
  authenticated: Omit<AuthenticatedRequest, "key"> & { key: { id: string } | null },
  outcome: RequestOutcome,
  total_ms: number,
): RequestEvent {
  const { progress, context, consumer, key, request } = authenticated;
  // Without a valid key the header is not trusted.
  const user = (key && findUser(request.headers)) ?? null;
  const { registry, usage } = outcome;
  return {
    id: context.request_id,
    // From the id, by which lists are sorted and filtered.
    time: formatTime(readIdTime(context.request_id)),
    trace_id: context.trace_id,
    gateway_id: consumer.gateway.id,
    consumer_id: consumer.id,
    key_id: key?.id ?? null,
    user_id: toStorableText(user, MAX_USER_CHARACTERS),
    endpoint: authenticated.endpoint.name,
    method: request.method,
    registry_id: registry?.id ?? null,
    provider: registry?.provider.kind ?? null,
    attempts: progress.attempts,
    model_asked: toStorableText(progress.model_asked, MAX_MODEL_CHARACTERS),
    model_sent: toStorableText(progress.model_sent, MAX_MODEL_CHARACTERS),
    status: outcome.status,
    error_code: outcome.error?.code ?? null,
    error_message: toStorableText(outcome.error?.message ?? null, MAX_ERROR_CHARACTERS),
    upstream_error: outcome.upstream_error,
    request_bytes: progress.request_bytes,
    response_bytes: progress.response_bytes,
    ttfb_ms: progress.ttfb_ms,
    total_ms,
    input_tokens: usage?.input_tokens ?? null,
    output_tokens: usage?.output_tokens ?? null,
  };
}

let lastMs = Number.NaN;
let lastText = "";

/** Caches the last value: many requests start in the same millisecond. */
function formatTime(ms: number): string {
  if (ms !== lastMs) {
    lastMs = ms;
    lastText = new Date(ms).toISOString();
  }
  return lastText;
}

/** Model names and users are client input. */
export const MAX_MODEL_CHARACTERS = 256;
const MAX_USER_CHARACTERS = 128;

export const roundToTenths = (ms: number): number => Math.round(ms * 10) / 10;
