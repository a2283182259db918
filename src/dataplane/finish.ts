/** Puts our headers on the answer and tells the request as an event once its last byte is out. */
import type { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { createHeaderCache } from "../lib/http/header-cache.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import { isEventStream } from "../net/http/reply-head.ts";
import { fileIdsIn } from "./file-hints.ts";
import { noteOutcome } from "./health.ts";
import { liveState } from "./live-state.ts";
import { type Copy, relay } from "./relay.ts";
import { endRun, tenths } from "./run.ts";
import type { AuthenticatedRequest, ForwardedRequest } from "./stages.ts";
import { readUsage } from "./usage.ts";

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

export function finish(deps: Deps, answered: ForwardedRequest): Response {
  const { run, reply } = answered;
  const { status, body } = reply;
  const headers = sheet(answerHeaders(answered));
  if (body.kind === "whole") {
    run.ttfb_ms = tenths(elapsedMs() - run.began);
    run.response_bytes = body.bytes.length;
    endSoon(deps, answered, { tail: body.bytes });
    return new Response(BODILESS.includes(status) ? null : body.bytes, { status, headers });
  }
  const stream = relay(answered, body, (copy, error) => end(deps, answered, copy, error));
  return new Response(stream, { status, headers });
}

const sheet = createHeaderCache();
const BODILESS: readonly number[] = [204, 205];

/** An answer that needed no upstream. */
export function finishHere(deps: Deps, known: AuthenticatedRequest, reply: object): Response {
  const text = JSON.stringify(reply);
  known.run.response_bytes = Buffer.byteLength(text);
  endRun(deps, known, { status: 200, error_code: null, registry: null, usage: null });
  const headers = { ...known.ids.headers, "content-type": "application/json" };
  return new Response(text, { headers });
}

function answerHeaders({
  ids,
  run,
  endpoint,
  candidate,
  reply,
}: ForwardedRequest): Record<string, string> {
  const { registry } = candidate;
  const { headers } = ids;
  const model = run.model_sent;
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

let ended: [Deps, ForwardedRequest, Copy][] = [];

/** After the answer has left: reading its usage must not delay it. One turn of the loop ends many. */
function endSoon(deps: Deps, answered: ForwardedRequest, copy: Copy): void {
  if (ended.push([deps, answered, copy]) > 1) return;
  setImmediate(() => {
    const due = ended;
    ended = [];
    for (const [of, one, its] of due) end(of, one, its, undefined);
  });
}

function end(
  deps: Deps,
  answered: ForwardedRequest,
  copy: Copy,
  error: AppError | undefined,
): void {
  const { run, reply, candidate } = answered;
  if (run.over) return;
  if (error && error.code !== "client_closed") {
    noteOutcome(reply.registry, { status: undefined, retry_after_ms: 0 }, elapsedMs());
  }
  if (reply.status < 300 && !error) learnFiles(deps, answered, copy);
  endRun(deps, answered, {
    status: reply.status,
    error_code: error?.code ?? null,
    registry: candidate.registry,
    usage: copy.tail ? readUsage(copy.tail, copy.head) : null,
  });
}

/** Where files are, from the answers that name them. */
function learnFiles(
  deps: Deps,
  { endpoint, item, request, candidate }: ForwardedRequest,
  copy: Copy,
) {
  if (endpoint.capability !== "files") return;
  const { files } = liveState(deps);
  const { id } = candidate.registry;
  if (item !== undefined) {
    if (request.method === "DELETE") files.delete(item);
    else files.set(item, id);
    return;
  }
  for (const bytes of [copy.head, copy.tail]) {
    const text = bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString() : "";
    for (const fileId of fileIdsIn(text)) files.set(fileId, id);
  }
}
