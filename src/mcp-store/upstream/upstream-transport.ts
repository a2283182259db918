/**
 * Sends the messages of the MCP client through src/net, with limits on time and memory. Replaces the transport of
 * the SDK, which would take another 35 µs for each call (decision 0015).
 */
import {
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  parseJSONRPCMessage,
  SdkErrorCode,
  SdkHttpError,
  type Transport,
} from "@modelcontextprotocol/client";
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import type { Reply } from "../../net/http/reply.ts";
import type { ByteReservation } from "../../reserve-bytes.ts";
import { receiveResponse, receiveText } from "./receive-response.ts";

/** Timeout of handshakes and lists. */
export const HANDSHAKE_TIMEOUT_MS = 5_000;

export interface UpstreamTransportOptions {
  url: string;
  allow_private: boolean;
  /** Reserves the memory of one response, until it is parsed. */
  reserveMemory: () => ByteReservation;
  /** Returns the headers for every request: the current credential. Names in lower case. */
  headers: () => Record<string, string>;
}

export function createUpstreamTransport(deps: Deps, options: UpstreamTransportOptions): Transport {
  const call_ms = deps.settings.UPSTREAM_HEADER_TIMEOUT_S * 1000;
  const running = new Set<AbortController>();
  let negotiatedVersion: string | undefined;

  /** Follows redirects within the origin of the server, which keep the method. */
  async function post(
    body: Uint8Array<ArrayBuffer>,
    request: { headers: Record<string, string>; signal: AbortSignal; max_ms: number },
  ): Promise<{ reply: Reply; resume: (last_event_id: string) => Promise<Reply> }> {
    const { max_ms, signal } = request;
    const send = (
      method: "POST" | "GET",
      url: string,
      headers: Record<string, string>,
      sent: Uint8Array<ArrayBuffer> | null,
    ) =>
      deps.send({
        url,
        method,
        headers: { ...headers, ...options.headers() },
        body: sent,
        allow_private: options.allow_private,
        signal,
        timeouts: { headers_ms: max_ms, idle_ms: max_ms },
      });
    let { url } = options;
    for (let followed = 0; ; followed += 1) {
      const reply = await send("POST", url, request.headers, body);
      const target = followed < MAX_REDIRECTS ? findRedirect(url, reply) : undefined;
      if (target === undefined) {
        const resume = (last_event_id: string) =>
          send(
            "GET",
            url,
            { ...buildResumeHeaders(request.headers, reply), "last-event-id": last_event_id },
            null,
          );
        return { reply, resume };
      }
      reply.cancel();
      url = target;
    }
  }

  const transport: Transport = {
    // Closing the connection of a request cancels it at servers of the 2026 revision.
    hasPerRequestStream: true,
    start: async () => {},
    setProtocolVersion(version) {
      negotiatedVersion = version;
    },
    async send(message, { requestSignal, headers = {} } = {}) {
      const max_ms = isToolCall(message) ? call_ms : HANDSHAKE_TIMEOUT_MS;
      // Covers the request up to the last byte of the response, so that a slow response ends too.
      const ended = new AbortController();
      const timer = setTimeout(() => ended.abort(new AppError("upstream_timeout")), max_ms);
      requestSignal?.addEventListener("abort", () => ended.abort(requestSignal.reason));
      if (requestSignal?.aborted) ended.abort(requestSignal.reason);
      running.add(ended);
      const memory = options.reserveMemory();
      const { signal } = ended;
      try {
        const { reply, resume } = await post(new TextEncoder().encode(JSON.stringify(message)), {
          headers: {
            ...headers,
            ...STANDARD_HEADERS,
            ...buildSessionHeaders(message, transport.sessionId, negotiatedVersion),
          },
          signal,
          max_ms,
        });
        await receive(message, reply, { memory, signal, resume });
      } finally {
        clearTimeout(timer);
        running.delete(ended);
        memory.release();
      }
    },
    async close() {
      for (const one of running) one.abort();
      transport.onclose?.();
    },
  };

  async function receive(
    message: JSONRPCMessage,
    reply: Reply,
    context: {
      memory: ByteReservation;
      signal: AbortSignal;
      resume: (last_event_id: string) => Promise<Reply>;
    },
  ): Promise<void> {
    const { status } = reply;
    const id = "method" in message && "id" in message ? message.id : undefined;
    if (status < 200 || status > 299) {
      // Error bodies may contain our credential. Only statuses that the protocol defines are read.
      const isRead = status === 400 || status === 404;
      if (!isRead) reply.cancel();
      const text = isRead ? await receiveText(reply, context.memory) : "";
      const error = status === 400 && isModern(message) ? readRpcError(text, id) : undefined;
      if (!error) throw httpError(status, text);
      transport.onmessage?.(error);
    } else if (status === ACCEPTED || id === undefined) {
      await receiveText(reply, context.memory);
    } else {
      if (isInitialize(message)) transport.sessionId = reply.headers.get("mcp-session-id");
      const onmessage = (one: object) => transport.onmessage?.(parseJSONRPCMessage(one));
      const response = await receiveResponse(reply, { ...context, onmessage });
      for (const one of Array.isArray(response) ? response : [response]) onmessage(one);
    }
  }

  return transport;
}

const ACCEPTED = 202;

const isToolCall = (message: JSONRPCMessage): boolean =>
  "method" in message && message.method === "tools/call";

const isInitialize = (message: JSONRPCMessage): boolean =>
  "method" in message && message.method === "initialize";

const STANDARD_HEADERS = {
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
} as const;

/** Requests of the 2026 revision name the version, the method and the tool in headers too (SEP-2243). */
function buildSessionHeaders(
  message: JSONRPCMessage,
  session_id: string | undefined,
  negotiatedVersion: string | undefined,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (session_id !== undefined) headers["mcp-session-id"] = session_id;
  const claimed = readClaimedVersion(message);
  const version = claimed ?? negotiatedVersion;
  if (version !== undefined) headers["mcp-protocol-version"] = version;
  if (claimed !== undefined && "method" in message) {
    headers["mcp-method"] = message.method;
    if (isToolCall(message)) headers["mcp-name"] = encodeHeaderValue(String(message.params?.name));
  }
  return headers;
}

function readClaimedVersion(message: JSONRPCMessage): string | undefined {
  if (!("method" in message && "id" in message)) return undefined;
  const version = message.params?._meta?.[PROTOCOL_VERSION_META_KEY];
  return typeof version === "string" ? version : undefined;
}

const isModern = (message: JSONRPCMessage): boolean => readClaimedVersion(message) !== undefined;

/** Encodes text that a header cannot contain, or that looks encoded, as SEP-2243 defines. */
const encodeHeaderValue = (text: string): string =>
  PLAIN_HEADER_VALUE.test(text) && !ENCODED_HEADER_VALUE.test(text)
    ? text
    : `=?base64?${Buffer.from(text).toString("base64")}?=`;
const PLAIN_HEADER_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;
const ENCODED_HEADER_VALUE = /^=\?base64\?.*\?=$/;

/** Headers of the request that resumes the response to a POST. */
function buildResumeHeaders(
  original: Record<string, string>,
  reply: Reply,
): Record<string, string> {
  const { "content-type": _, "mcp-method": __, "mcp-name": ___, ...rest } = original;
  const session = reply.headers.get("mcp-session-id");
  return {
    ...rest,
    ...(session === undefined ? {} : { "mcp-session-id": session }),
    accept: "text/event-stream",
  };
}

const MAX_REDIRECTS = 5;

/** Returns the target of a redirect that keeps the method and the origin, or only changes it to https. */
function findRedirect(from: string, { status, headers }: Reply): string | undefined {
  if (status !== 307 && status !== 308) return undefined;
  const source = new URL(from);
  const target = URL.parse(headers.get("location") ?? "", from);
  if (!target || target.username || target.password) return undefined;
  const isUpgrade =
    source.protocol === "http:" &&
    target.protocol === "https:" &&
    source.hostname === target.hostname &&
    !source.port &&
    !target.port;
  return source.origin === target.origin || isUpgrade ? target.href : undefined;
}

/** Returns the error response to this request; undefined when the text is something else. */
function readRpcError(text: string, id: unknown): JSONRPCMessage | undefined {
  try {
    const message = parseJSONRPCMessage(JSON.parse(text));
    return "error" in message && message.id === id ? message : undefined;
  } catch {
    return undefined;
  }
}

/** The SDK reads `text` to find out which revisions the server supports. */
const httpError = (status: number, text: string) =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `The server returned status ${status}.`, {
    status,
    statusText: "",
    text,
  });
