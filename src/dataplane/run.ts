/** What one request has used so far, and what becomes of it at the end: given back, and told as an event. */
import { ERRORS, type ErrorCode } from "../contract/errors.ts";
import type { RequestEvent } from "../contract/requests.ts";
import type { Deps } from "../deps.ts";
import { readIdTime } from "../lib/ids.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import { liveState } from "./live-state.ts";
import type { AuthenticatedRequest } from "./stages.ts";
import { tallyTimes } from "./tally.ts";
import type { Usage } from "./usage.ts";

export interface Attempt {
  registry_id: string;
  /** What the upstream answered; null when it did not. */
  status: number | null;
  error: ErrorCode | null;
  ms: number;
}

export interface Run {
  /** In milliseconds of the steady clock. */
  began: number;
  attempts: Attempt[];
  model_asked: string | null;
  model_sent: string | null;
  request_bytes: number;
  response_bytes: number;
  /** Until the answer's first byte was at hand. */
  ttfb_ms: number | null;
  /** Called once when the request is over, however it ends. */
  releases: (() => void)[];
  over: boolean;
}

export interface Ending {
  status: number;
  error_code: ErrorCode | null;
  registry: { id: string; provider: { kind: string } } | null;
  usage: Usage | null;
}

export function openRun(deps: Deps): Run {
  liveState(deps).tally.in_flight += 1;
  return {
    began: elapsedMs(),
    attempts: [],
    model_asked: null,
    model_sent: null,
    request_bytes: 0,
    response_bytes: 0,
    ttfb_ms: null,
    releases: [],
    over: false,
  };
}

/** Several ends may race (the client leaves while the upstream breaks): the first one counts. */
export function endRun(deps: Deps, known: AuthenticatedRequest, reported: Ending): void {
  const { run } = known;
  if (run.over) return;
  run.over = true;
  for (const release of run.releases) release();
  const total_ms = tenths(elapsedMs() - run.began);
  const { tally } = liveState(deps);
  tally.in_flight -= 1;
  tallyTimes(tally, known, total_ms);
  deps.recordRequest(eventOf(known, endingOf(deps, reported), total_ms));
}

/** A connection that our shutdown cut looks like a client that left. */
function endingOf({ responseDeadline }: Deps, ending: Ending): Ending {
  if (ending.error_code !== "client_closed" || !responseDeadline.aborted) return ending;
  const { status } = ending.status === ERRORS.client_closed.status ? ERRORS.shutting_down : ending;
  return { ...ending, status, error_code: "shutting_down" };
}

function eventOf(known: AuthenticatedRequest, ending: Ending, total_ms: number): RequestEvent {
  const { run, ids, consumer } = known;
  const { registry, usage } = ending;
  return {
    id: ids.request_id,
    // What lists are ordered and narrowed by.
    time: timeText(readIdTime(ids.request_id)),
    trace_id: ids.trace_id,
    gateway_id: consumer.gateway.id,
    consumer_id: consumer.id,
    key_id: known.key.id,
    endpoint: known.endpoint.name,
    method: known.request.method,
    registry_id: registry?.id ?? null,
    provider: registry?.provider.kind ?? null,
    attempts: run.attempts,
    model_asked: storable(run.model_asked),
    model_sent: storable(run.model_sent),
    status: ending.status,
    error_code: ending.error_code,
    request_bytes: run.request_bytes,
    response_bytes: run.response_bytes,
    ttfb_ms: run.ttfb_ms,
    total_ms,
    input_tokens: usage?.input_tokens ?? null,
    output_tokens: usage?.output_tokens ?? null,
  };
}

let lastMs = Number.NaN;
let lastText = "";

/** A busy node begins many requests in the same millisecond. */
function timeText(ms: number): string {
  if (ms !== lastMs) {
    lastMs = ms;
    lastText = new Date(ms).toISOString();
  }
  return lastText;
}

/** A model name is the client's text, of whatever length and characters. */
const storable = (text: string | null): string | null =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  text?.slice(0, 256).replace(/[\u0000-\u001f\u007f]/g, "\ufffd") ?? null;

export const tenths = (ms: number): number => Math.round(ms * 10) / 10;
