/** Builds the response to the client, and ends the request after the last byte. */
import type { AppError, ErrorCode } from "../contract/errors.ts";
import { OBJECT_CAPABILITIES } from "../contract/gateway/registries.ts";
import type { Deps } from "../deps.ts";
import { createHeaderCache } from "../lib/http/header-cache.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import { decodeUtf8 } from "../lib/view-bytes.ts";
import { isEventStream } from "../net/http/read-header-block.ts";
import type { Bytes } from "../net/http/reply.ts";
import { addVendorHeaders } from "./add-vendor-headers.ts";
import { getLiveState } from "./live-state.ts";
import { maskKeyInBytes } from "./mask-key.ts";
import { findObjectIds } from "./objects/find-object-ids.ts";
import { createsResponse } from "./objects/record-response-owner.ts";
import { CREATES_FILES } from "./objects/scope-objects.ts";
import { endRequest, NO_UPSTREAM, roundToTenths } from "./request-progress.ts";
import { recordOutcome } from "./routing/registry-health.ts";
import type { AuthenticatedRequest, ForwardedRequest } from "./stages.ts";
import { createJsonArrayFormat } from "./upstream/events-to-json-array.ts";
import { readUpstreamError } from "./upstream/read-upstream-error.ts";
import { readUsage } from "./upstream/read-usage.ts";
import { type BodyEnds, relayStream } from "./upstream/relay-stream.ts";
import type { StreamedBody } from "./upstream/upstream-reply.ts";

/** Headers of an upstream that are sent to the client, besides those of `addVendorHeaders`. */
const RELAYED_HEADERS: readonly string[] = ["content-type", "content-encoding", "retry-after"];
const DOWNLOAD_HEADERS: readonly string[] = [
  ...RELAYED_HEADERS,
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
  const isWhole = body.kind === "whole";
  if (isWhole && body.bytes.length <= MAX_WHOLE_BYTES) {
    progress.ttfb_ms = roundToTenths(elapsedMs() - progress.started_at);
    progress.response_bytes = body.bytes.length;
    endAfterResponse(deps, forwarded, { tail: body.bytes });
    return new Response(NO_BODY_STATUSES.includes(status) ? null : body.bytes, { status, headers });
  }
  const streamed = isWhole ? splitBody(body.bytes) : body;
  const isArray = streamed.events && isJsonArrayExpected(forwarded);
  const stream = relayStream(forwarded, streamed, {
    format: isArray ? createJsonArrayFormat() : undefined,
    onEnd: (ends, error) =>
      endForwarded(deps, forwarded, isWhole ? { tail: body.bytes } : ends, error),
  });
  if (!isArray) return new Response(stream, { status, headers });
  const sent = { ...buildHeaders(forwarded), "content-type": "application/json" };
  return new Response(stream, { status, headers: sent });
}

const MAX_WHOLE_BYTES = 256 * 1024;
const PART_BYTES = 64 * 1024;

/** Returns a large response in parts, so that its memory counts until the client has read it. */
function splitBody(bytes: Bytes): StreamedBody {
  let at = 0;
  const read = async () => {
    if (at >= bytes.length) return undefined;
    at += PART_BYTES;
    return bytes.subarray(at - PART_BYTES, at);
  };
  const stream = { kind: "stream", first: undefined, events: false, exclusive: false } as const;
  return { ...stream, read, cancel: () => {} };
}

/** Gemini clients request events by the query string. */
const isJsonArrayExpected = ({ endpoint, search }: ForwardedRequest): boolean =>
  endpoint.streams === true && !ALT_SSE.test(search);

const ALT_SSE = /[?&]alt=sse(?:&|$)/;

const cacheHeaders = createHeaderCache();
const NO_BODY_STATUSES: readonly number[] = [204, 205];

/** Builds a response that needs no upstream, and ends the request. */
export function buildLocalResponse(
  deps: Deps,
  authenticated: AuthenticatedRequest,
  value: object,
): Response {
  const text = JSON.stringify(value);
  authenticated.progress.response_bytes = Buffer.byteLength(text);
  endRequest(deps, authenticated, { status: 200, error: null, ...NO_UPSTREAM });
  const headers = { ...authenticated.context.headers, "content-type": "application/json" };
  return new Response(text, { headers });
}

function buildHeaders({
  context,
  progress,
  endpoint,
  candidate,
  reply,
}: ForwardedRequest): Record<string, string> {
  const { registry } = candidate;
  const { headers } = context;
  const model = progress.model_sent;
  headers["x-ag-registry"] = registry.id;
  headers["x-selected-provider"] = registry.provider.kind;
  if (model !== null && HEADER_SAFE.test(model)) headers["x-selected-model"] = model;
  for (const name of endpoint.download ? DOWNLOAD_HEADERS : RELAYED_HEADERS) {
    const value = reply.headers.get(name);
    if (value !== undefined) headers[name] = value;
  }
  addVendorHeaders(headers, reply.headers);
  // A reverse proxy must not buffer a stream of events.
  if (isEventStream(reply.headers)) headers["x-accel-buffering"] = "no";
  return headers;
}

/** A model name is client input: the header is left out if it would be invalid. */
const HEADER_SAFE = /^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/;

let pendingEnds: [Deps, ForwardedRequest, BodyEnds][] = [];

/** Ends the request after the response is sent, because reading its usage would delay it. Ends are batched. */
function endAfterResponse(deps: Deps, forwarded: ForwardedRequest, ends: BodyEnds): void {
  if (pendingEnds.push([deps, forwarded, ends]) > 1) return;
  setImmediate(() => {
    const batch = pendingEnds;
    pendingEnds = [];
    for (const [itemDeps, item, itemEnds] of batch) {
      endForwarded(itemDeps, item, itemEnds, undefined);
    }
  });
}

function endForwarded(
  deps: Deps,
  forwarded: ForwardedRequest,
  ends: BodyEnds,
  error: AppError | undefined,
): void {
  const { progress, reply, candidate, capability } = forwarded;
  if (progress.is_ended) return;
  if (error && !NOT_OF_UPSTREAM.includes(error.code)) {
    recordOutcome(reply.registry, { status: undefined, retry_after_ms: 0 }, elapsedMs());
    logFailure(deps, forwarded, error);
  }
  if (reply.status < 300 && !error) recordObjectHints(deps, forwarded, ends);
  endRequest(deps, forwarded, {
    status: reply.status,
    error: error ?? null,
    upstream_error: readForwardedError(forwarded, ends),
    registry: candidate.registry,
    // A stored object repeats the usage of the request that created it.
    usage: OBJECT_CAPABILITIES.has(capability)
      ? null
      : (reply.translation?.usage ?? readStreamUsage(ends, error)),
  });
}

/** The status was sent before the failure, so that no other line shows it. */
function logFailure(deps: Deps, { context, candidate }: ForwardedRequest, error: AppError): void {
  deps.log("stream_failed", {
    level: "error",
    request_id: context.request_id,
    trace_id: context.trace_id,
    registry_id: candidate.registry.id,
    code: error.code,
    error: error.cause ?? error,
  });
}

/** Reads a streamed error at its end. The key is masked again: it may have been split between two chunks. */
function readForwardedError(
  { reply, candidate, consumer }: ForwardedRequest,
  { head, tail }: BodyEnds,
): string | null {
  if (reply.status < 400) return null;
  const { attempt, headers } = reply;
  const { api_key, identity } = candidate.registry.upstream;
  const bytes = head ?? tail;
  if (attempt.message === null && bytes && !identity) {
    if (api_key) maskKeyInBytes(bytes, api_key);
    attempt.message = readUpstreamError(bytes, headers, { membersOnly: consumer.guard !== null });
  }
  return attempt.message;
}

/** The ending of a blocked stream has zeros for usage that the upstream did not report. */
function readStreamUsage({ tail, head }: BodyEnds, error: AppError | undefined) {
  const usage = tail ? readUsage(tail, head) : null;
  return error?.code === "guard_blocked" && usage?.input_tokens === 0 ? null : usage;
}

/** Ends of a stream that do not count for the registry. */
const NOT_OF_UPSTREAM: readonly ErrorCode[] = [
  "client_closed",
  "guard_blocked",
  "guard_unavailable",
];

/** Records which registry has the objects that the response names. */
function recordObjectHints(
  deps: Deps,
  { endpoint, capability, item, request, consumer, candidate }: ForwardedRequest,
  ends: BodyEnds,
): void {
  // One registry needs no hint.
  if (consumer.registries.length < 2) return;
  const { object_hints } = getLiveState(deps);
  const { id } = candidate.registry;
  if (createsResponse({ capability, candidate })) {
    const [responseId] = findObjectIds(decode((ends.head ?? ends.tail)?.subarray(0, MAX_ID_BYTES)));
    if (responseId !== undefined) object_hints.set(responseId, id);
  }
  if (!OBJECT_CAPABILITIES.has(capability)) return;
  if (item !== undefined) {
    if (request.method === "DELETE" && endpoint.is_object) object_hints.delete(item);
    else object_hints.set(item, id);
    // A completed upload and a completed batch name the files that they created.
    if (!CREATES_FILES.has(capability)) return;
  }
  for (const bytes of [ends.head, ends.tail]) {
    for (const objectId of findObjectIds(decode(bytes))) object_hints.set(objectId, id);
  }
}

/** The id of a response is at its start, before the ids of its items. */
const MAX_ID_BYTES = 4 * 1024;

const decode = (bytes: Uint8Array | undefined): string => (bytes ? decodeUtf8(bytes) : "");
