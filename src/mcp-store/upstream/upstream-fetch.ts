/** Sends the HTTP requests of the MCP client through src/net, with limits on time and memory. */
import {
  type FetchLike,
  type JSONRPCMessage,
  parseJSONRPCMessage,
} from "@modelcontextprotocol/client";
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { MAX_MEMBERS, measureJson } from "../../lib/json/measure-json.ts";
import { MAX_DEPTH } from "../../lib/json/skip-value.ts";
import { createSizeCap } from "../../lib/streams/capped-body.ts";
import { isEventStream, type ReplyHeaders } from "../../net/http/read-header-block.ts";
import type { Reply } from "../../net/http/reply.ts";
import { readReplyBytes } from "../../net/read-reply-bytes.ts";
import type { ByteReservation } from "../../reserve-bytes.ts";
import { readStreamedResponse } from "./read-streamed-response.ts";

/** Timeout of handshakes and lists. */
export const HANDSHAKE_TIMEOUT_MS = 5_000;
/** Limit for one response, with everything that is streamed before it. */
const MAX_BYTES = 16 * 1024 * 1024;
/** A response is in memory as bytes and as text before it is parsed. */
const COPIES = 2;

export interface UpstreamFetchOptions {
  allow_private: boolean;
  /** Reserves the memory of one response, until it is parsed. */
  reserveMemory: () => ByteReservation;
  /** Returns the headers for every request: the current credential. */
  headers: () => Record<string, string>;
  /** Receives the messages that precede the response, such as progress, as they arrive. */
  onmessage: (message: JSONRPCMessage) => void;
}

export function createUpstreamFetch(deps: Deps, options: UpstreamFetchOptions): FetchLike {
  const call_ms = deps.settings.UPSTREAM_HEADER_TIMEOUT_S * 1000;
  return async (url, init = {}) => {
    // Otherwise the client would keep a stream open for each upstream, and lists are refreshed anyway.
    if (init.method === "GET") return new Response(null, { status: METHOD_NOT_ALLOWED });
    const body = typeof init.body === "string" ? init.body : null;
    const max_ms = body !== null && isToolCall(body) ? call_ms : HANDSHAKE_TIMEOUT_MS;
    // Covers the request up to the last byte of the response, so that a slow response ends too.
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new AppError("upstream_timeout")), max_ms);
    const signal = init.signal ? AbortSignal.any([deadline.signal, init.signal]) : deadline.signal;
    const sdkHeaders = Object.fromEntries(new Headers(init.headers));
    const send = (method: string, headers: Record<string, string>, sent: string | null) =>
      deps.send({
        url: String(url),
        method,
        headers: { ...headers, ...options.headers() },
        body: sent === null ? null : new TextEncoder().encode(sent),
        allow_private: options.allow_private,
        signal,
        timeouts: { headers_ms: max_ms, idle_ms: max_ms },
      });
    const memory = options.reserveMemory();
    try {
      const reply = await send(init.method ?? "POST", sdkHeaders, body);
      const resume = (last_event_id: string) =>
        send(
          "GET",
          { ...buildResumeHeaders(sdkHeaders, reply.headers), "last-event-id": last_event_id },
          null,
        );
      return await receiveResponse(reply, { memory, signal, resume, onmessage: options.onmessage });
    } finally {
      clearTimeout(timer);
      memory.release();
    }
  };
}

const METHOD_NOT_ALLOWED = 405;

/** Searches only the start of the body, where the SDK writes the method: parsing it again would double its memory. */
const isToolCall = (body: string): boolean =>
  body.slice(0, METHOD_SEARCH_CHARACTERS).includes('"method":"tools/call"');
const METHOD_SEARCH_CHARACTERS = 100;

/** Headers of the request that resumes the response to a POST. */
function buildResumeHeaders(
  original: Record<string, string>,
  headers: ReplyHeaders,
): Record<string, string> {
  const { "content-type": _, "mcp-method": __, "mcp-name": ___, ...rest } = original;
  return { ...rest, ...pickSessionHeader(headers), accept: "text/event-stream" };
}

interface ReceiveOptions extends Pick<UpstreamFetchOptions, "onmessage"> {
  memory: ByteReservation;
  signal: AbortSignal;
  resume: (last_event_id: string) => Promise<Reply>;
}

/**
 * Reads event streams up to the response. The SDK would wait for its own timeout after a broken stream, and would
 * read a stream of any size.
 */
async function receiveResponse(
  reply: Reply,
  { memory, signal, resume, onmessage }: ReceiveOptions,
): Promise<Response> {
  const { status, headers } = reply;
  const ok = status >= 200 && status < 300;
  const type = headers.get("content-type") ?? "";
  const parse = (text: string): object => {
    const { weight, depth, members } = measureJson(text);
    if (depth > MAX_DEPTH) throw tooDeep();
    if (members > MAX_MEMBERS) throw tooManyMembers();
    memory.add(weight);
    return parseMessage(text);
  };
  const checkSize = createSizeCap(MAX_BYTES, tooLarge);
  const count = (bytes: number) => {
    checkSize(bytes);
    memory.add(bytes * COPIES);
  };
  if (ok && isEventStream(headers)) {
    const onPrecedingMessage = (message: object) => onmessage(parseJSONRPCMessage(message));
    const message = await readStreamedResponse(reply, {
      count,
      parse,
      onmessage: onPrecedingMessage,
      resume,
      signal,
    });
    return toParsedResponse(message, pickSessionHeader(headers));
  }
  // Error bodies may contain our credential. Only statuses that the protocol defines are read.
  const isRead = ok || status === 400 || status === 404;
  if (!isRead) reply.cancel();
  const text = isRead ? new TextDecoder().decode(await readReplyBytes(reply, count)) : "";
  if (ok && type.startsWith("application/json"))
    return toParsedResponse(parse(text), pickHeaders(headers));
  return new Response(text || null, {
    status,
    headers: { ...pickHeaders(headers), "content-type": type },
  });
}

const tooLarge = () =>
  new AppError("upstream_failed", `The response exceeds ${MAX_BYTES / 1024 / 1024} MiB.`);

const tooDeep = () =>
  new AppError("upstream_failed", `The response is nested deeper than ${MAX_DEPTH} levels.`);

const tooManyMembers = () =>
  new AppError("upstream_failed", `The response has more than ${MAX_MEMBERS} members.`);

/** Returns a response with a parsed body, because parsing twice would double the memory of a large result. */
const toParsedResponse = (message: object, headers: Record<string, string>): Response =>
  Object.assign(new Response(null, { headers: { ...headers, "content-type": JSON_TYPE } }), {
    json: async () => message,
  });

const JSON_TYPE = "application/json";

function parseMessage(text: string): object {
  try {
    const message: unknown = JSON.parse(text);
    if (typeof message === "object" && message !== null) return message;
  } catch {
    // Reported below without the text, which may contain a credential.
  }
  throw new AppError("upstream_failed", "The server sent a message that is not a JSON object.");
}

const pickSessionHeader = (headers: ReplyHeaders): Record<string, string> => {
  const session = headers.get("mcp-session-id");
  return session === undefined ? {} : { "mcp-session-id": session };
};

/** Includes `location`, which the SDK follows only within the same origin. */
const pickHeaders = (headers: ReplyHeaders): Record<string, string> => {
  const location = headers.get("location");
  return { ...pickSessionHeader(headers), ...(location === undefined ? {} : { location }) };
};
