/** Puts our headers on the answer and tells the request as an event once its last byte is out. */
import type { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { createHeaderCache } from "../lib/http/header-cache.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import { isEventStream } from "../net/http/read-header-block.ts";
import { findFileIds } from "./find-file-ids.ts";
import { getLiveState } from "./live-state.ts";
import { readUsage } from "./read-usage.ts";
import { recordOutcome } from "./registry-health.ts";
import { type BodyEnds, relayStream } from "./relay-stream.ts";
import { endRequest, roundToTenths } from "./request-progress.ts";
import type { AuthenticatedRequest, ForwardedRequest } from "./stages.ts";

/** Of an upstream's headers only these are passed on. */
const PASSED_HEADERS: readonly string[] = ["content-type", "content-encoding", "retry-after"];
const DOWNLOAD_HEADERS: readonly string[] = [
  ...PASSED_HEADERS,
  "content-length",
  "content-disposition",
  "content-range",
  "accept-ranges",
  "etag",
  "last-modified",
];

export function buildResponse(deps: Deps, forwarded: ForwardedRequest): Response {
  const { progress, reply } = forwarded;
  const { status, body } = reply;
  const headers = cacheHeaders(buildHeaders(forwarded));
  if (body.kind === "whole") {
    progress.ttfb_ms = roundToTenths(elapsedMs() - progress.started_at);
    progress.response_bytes = body.bytes.length;
    endAfterResponse(deps, forwarded, { tail: body.bytes });
    return new Response(NO_BODY_STATUSES.includes(status) ? null : body.bytes, { status, headers });
  }
  const stream = relayStream(forwarded, body, (copy, error) =>
    endForwarded(deps, forwarded, copy, error),
  );
  return new Response(stream, { status, headers });
}

const cacheHeaders = createHeaderCache();
const NO_BODY_STATUSES: readonly number[] = [204, 205];

/** An answer that needed no upstream. */
export function buildLocalResponse(
  deps: Deps,
  authenticated: AuthenticatedRequest,
  reply: object,
): Response {
  const text = JSON.stringify(reply);
  authenticated.progress.response_bytes = Buffer.byteLength(text);
  endRequest(deps, authenticated, { status: 200, error_code: null, registry: null, usage: null });
  const headers = { ...authenticated.ids.headers, "content-type": "application/json" };
  return new Response(text, { headers });
}

function buildHeaders({
  ids,
  progress,
  endpoint,
  candidate,
  reply,
}: ForwardedRequest): Record<string, string> {
  const { registry } = candidate;
  const { headers } = ids;
  const model = progress.model_sent;
  headers["x-ag-registry"] = registry.id;
  headers["x-selected-provider"] = registry.provider.kind;
  if (model !== null && HEADER_SAFE.test(model)) headers["x-selected-model"] = model;
  for (const name of endpoint.download ? DOWNLOAD_HEADERS : PASSED_HEADERS) {
    const value = reply.headers.get(name);
    if (value !== undefined) headers[name] = value;
  }
  // A proxy in front of us must not collect what we flush event by event.
  if (isEventStream(reply.headers)) headers["x-accel-buffering"] = "no";
  return headers;
}

/** A model name is the client's text: what cannot stand in a header stays out of it. */
const HEADER_SAFE = /^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/;

let pendingEnds: [Deps, ForwardedRequest, BodyEnds][] = [];

/** After the answer has left: reading its usage must not delay it. One turn of the loop ends many. */
function endAfterResponse(deps: Deps, forwarded: ForwardedRequest, copy: BodyEnds): void {
  if (pendingEnds.push([deps, forwarded, copy]) > 1) return;
  setImmediate(() => {
    const due = pendingEnds;
    pendingEnds = [];
    for (const [of, one, its] of due) endForwarded(of, one, its, undefined);
  });
}

function endForwarded(
  deps: Deps,
  forwarded: ForwardedRequest,
  copy: BodyEnds,
  error: AppError | undefined,
): void {
  const { progress, reply, candidate } = forwarded;
  if (progress.is_ended) return;
  if (error && error.code !== "client_closed") {
    recordOutcome(reply.registry, { status: undefined, retry_after_ms: 0 }, elapsedMs());
  }
  if (reply.status < 300 && !error) recordFileHints(deps, forwarded, copy);
  endRequest(deps, forwarded, {
    status: reply.status,
    error_code: error?.code ?? null,
    registry: candidate.registry,
    usage: copy.tail ? readUsage(copy.tail, copy.head) : null,
  });
}

/** Where files are, from the answers that name them. */
function recordFileHints(
  deps: Deps,
  { endpoint, item, request, candidate }: ForwardedRequest,
  copy: BodyEnds,
) {
  if (endpoint.capability !== "files") return;
  const { file_hints: files } = getLiveState(deps);
  const { id } = candidate.registry;
  if (item !== undefined) {
    if (request.method === "DELETE") files.delete(item);
    else files.set(item, id);
    return;
  }
  for (const bytes of [copy.head, copy.tail]) {
    const text = bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString() : "";
    for (const fileId of findFileIds(text)) files.set(fileId, id);
  }
}
