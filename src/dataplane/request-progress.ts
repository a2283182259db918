/** Progress of one request; at its end, cleanups run and the request event is recorded. */
import { ERRORS, type ErrorCode } from "../contract/errors.ts";
import type { RequestEvent } from "../contract/requests.ts";
import type { Deps } from "../deps.ts";
import { readIdTime } from "../lib/ids.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import { getLiveState } from "./live-state.ts";
import type { TokenUsage } from "./read-usage.ts";
import { observeDurations } from "./request-metrics.ts";
import type { AuthenticatedRequest } from "./stages.ts";

export interface UpstreamAttempt {
  registry_id: string;
  /** Null without a response. */
  status: number | null;
  error: ErrorCode | null;
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
  /** Called once, at any end of the request. */
  cleanups: (() => void)[];
  is_ended: boolean;
}

export interface RequestOutcome {
  status: number;
  error_code: ErrorCode | null;
  registry: { id: string; provider: { kind: string } } | null;
  usage: TokenUsage | null;
}

export function startRequest(deps: Deps): RequestProgress {
  getLiveState(deps).metrics.in_flight += 1;
  return {
    started_at: elapsedMs(),
    attempts: [],
    model_asked: null,
    model_sent: null,
    request_bytes: 0,
    response_bytes: 0,
    ttfb_ms: null,
    cleanups: [],
    is_ended: false,
  };
}

/** Ends may race (the client disconnects while the upstream fails): only the first one counts. */
export function endRequest(
  deps: Deps,
  authenticated: AuthenticatedRequest,
  outcome: RequestOutcome,
): void {
  const { progress } = authenticated;
  if (progress.is_ended) return;
  progress.is_ended = true;
  for (const cleanup of progress.cleanups) cleanup();
  const total_ms = roundToTenths(elapsedMs() - progress.started_at);
  const { metrics } = getLiveState(deps);
  metrics.in_flight -= 1;
  observeDurations(metrics, authenticated, total_ms);
  deps.recordRequest(buildEvent(authenticated, resolveOutcome(deps, outcome), total_ms));
}

/** Reports a connection that the shutdown closed as such, not as a client that disconnected. */
function resolveOutcome({ responseDeadline }: Deps, outcome: RequestOutcome): RequestOutcome {
  if (outcome.error_code !== "client_closed" || !responseDeadline.aborted) return outcome;
  const { status } =
    outcome.status === ERRORS.client_closed.status ? ERRORS.shutting_down : outcome;
  return { ...outcome, status, error_code: "shutting_down" };
}

function buildEvent(
  authenticated: AuthenticatedRequest,
  outcome: RequestOutcome,
  total_ms: number,
): RequestEvent {
  const { progress, ids, consumer } = authenticated;
  const { registry, usage } = outcome;
  return {
    id: ids.request_id,
    // From the id, by which lists are sorted and filtered.
    time: formatTime(readIdTime(ids.request_id)),
    trace_id: ids.trace_id,
    gateway_id: consumer.gateway.id,
    consumer_id: consumer.id,
    key_id: authenticated.key.id,
    endpoint: authenticated.endpoint.name,
    method: authenticated.request.method,
    registry_id: registry?.id ?? null,
    provider: registry?.provider.kind ?? null,
    attempts: progress.attempts,
    model_asked: toStorableText(progress.model_asked),
    model_sent: toStorableText(progress.model_sent),
    status: outcome.status,
    error_code: outcome.error_code,
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

/** Truncates a model name, which is client input, and replaces control characters. */
const toStorableText = (text: string | null): string | null =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it replaces them
  text?.slice(0, 256).replace(/[\u0000-\u001f\u007f]/g, "\ufffd") ?? null;

export const roundToTenths = (ms: number): number => Math.round(ms * 10) / 10;
