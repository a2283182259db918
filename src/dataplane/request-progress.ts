/** What one request has used so far, and what becomes of it at the end: given back, and told as an event. */
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
  /** What the upstream answered; null when it did not. */
  status: number | null;
  error: ErrorCode | null;
  ms: number;
}

export interface RequestProgress {
  /** In milliseconds of the steady clock. */
  started_at: number;
  attempts: UpstreamAttempt[];
  model_asked: string | null;
  model_sent: string | null;
  request_bytes: number;
  response_bytes: number;
  /** Until the answer's first byte was at hand. */
  ttfb_ms: number | null;
  /** Called once when the request is over, however it ends. */
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

/** Several ends may race (the client leaves while the upstream breaks): the first one counts. */
export function endRequest(
  deps: Deps,
  authenticated: AuthenticatedRequest,
  reported: RequestOutcome,
): void {
  const { progress } = authenticated;
  if (progress.is_ended) return;
  progress.is_ended = true;
  for (const release of progress.cleanups) release();
  const total_ms = roundToTenths(elapsedMs() - progress.started_at);
  const { metrics } = getLiveState(deps);
  metrics.in_flight -= 1;
  observeDurations(metrics, authenticated, total_ms);
  deps.recordRequest(buildEvent(authenticated, resolveOutcome(deps, reported), total_ms));
}

/** A connection that our shutdown cut looks like a client that left. */
function resolveOutcome({ responseDeadline }: Deps, ending: RequestOutcome): RequestOutcome {
  if (ending.error_code !== "client_closed" || !responseDeadline.aborted) return ending;
  const { status } = ending.status === ERRORS.client_closed.status ? ERRORS.shutting_down : ending;
  return { ...ending, status, error_code: "shutting_down" };
}

function buildEvent(
  authenticated: AuthenticatedRequest,
  ending: RequestOutcome,
  total_ms: number,
): RequestEvent {
  const { progress, ids, consumer } = authenticated;
  const { registry, usage } = ending;
  return {
    id: ids.request_id,
    // What lists are ordered and narrowed by.
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
    status: ending.status,
    error_code: ending.error_code,
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

/** A busy node begins many requests in the same millisecond. */
function formatTime(ms: number): string {
  if (ms !== lastMs) {
    lastMs = ms;
    lastText = new Date(ms).toISOString();
  }
  return lastText;
}

/** A model name is the client's text, of whatever length and characters. */
const toStorableText = (text: string | null): string | null =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  text?.slice(0, 256).replace(/[\u0000-\u001f\u007f]/g, "\ufffd") ?? null;

export const roundToTenths = (ms: number): number => Math.round(ms * 10) / 10;
