/**
 * Sends the messages of the MCP client through src/net, with limits on time and memory. Replaces the transport of
 * the SDK, which would take another 35 µs for each call (decision 0015).
 */
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  SdkErrorCode,
  SdkHttpError,
  type Transport,
} from "@modelcontextprotocol/client";
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { withTimeout } from "../../lib/time/with-timeout.ts";
import type { Reply } from "../../net/http/reply.ts";
import type { OutboundRequest } from "../../net/send.ts";
import type { ByteReservation } from "../../reserve-bytes.ts";
import { takeTurnToParse } from "../../take-turn.ts";
import {
  buildMessageHeaders,
  buildResumeHeaders,
  isModern,
  isToolCall,
} from "./message-headers.ts";
import { checkForSdk } from "./read-content.ts";
import { discardResponse, receiveErrorText, receiveResponse } from "./receive-response.ts";

/** Timeout of handshakes and lists. */
export const HANDSHAKE_TIMEOUT_MS = 5_000;

export interface UpstreamTransportOptions {
  url: string;
  allow_private: boolean;
  /** Reserves the memory of one response, until it is parsed. */
  reserveMemory: () => ByteReservation;
  /** Server whose responses take turns. */
  owner: string;
  /** Returns the headers for every request: the current credential. Names in lower case. */
  headers: () => Record<string, string>;
}

export interface ExchangeOptions {
  signal?: AbortSignal | undefined;
  headers?: Record<string, string> | undefined;
  /** Timeout; undefined for the one of the method. */
  max_ms?: number;
}

export interface UpstreamTransport extends Transport {
  /** Sends a message. Returns the response to a request, which the caller validates; undefined for other messages. */
  exchange: (message: JSONRPCMessage, options?: ExchangeOptions) => Promise<object | undefined>;
}

export function createUpstreamTransport(
  deps: Deps,
  options: UpstreamTransportOptions,
): UpstreamTransport {
  const call_ms = deps.settings.UPSTREAM_HEADER_TIMEOUT_S * 1000;
  const running = new Set<AbortController>();
  let negotiatedVersion: string | undefined;
  let replies = 0;

  async function exchange(
    message: JSONRPCMessage,
    {
      signal: canceled,
      headers = {},
      max_ms = isToolCall(message) ? call_ms : HANDSHAKE_TIMEOUT_MS,
    }: ExchangeOptions = {},
  ): Promise<object | undefined> {
    const ended = new AbortController();
    const cancel = () => ended.abort(canceled?.reason);
    canceled?.addEventListener("abort", cancel);
    if (canceled?.aborted) cancel();
    running.add(ended);
    const memory = options.reserveMemory();
    try {
      const sent: SentMessage = {
        message,
        headers: {
          ...headers,
          ...buildMessageHeaders(message, transport.sessionId, negotiatedVersion),
        },
        signal: ended.signal,
        max_ms,
      };
      // Covers the request up to the last byte of the response, so that a slow response ends too.
      const response = post(sent).then(({ reply, url }) => receive(sent, reply, url, memory));
      return await withTimeout(response, max_ms, () => new AppError("upstream_timeout"));
    } catch (thrown) {
      ended.abort(thrown);
      throw thrown;
    } finally {
      canceled?.removeEventListener("abort", cancel);
      running.delete(ended);
      memory.release();
    }
  }

  const sendHttp = (
    { signal, max_ms }: SentMessage,
    request: Pick<OutboundRequest, "url" | "method" | "headers" | "body">,
  ) =>
    deps.send({
      ...request,
      headers: { ...request.headers, ...options.headers() },
      allow_private: options.allow_private,
      signal,
      timeouts: { headers_ms: max_ms, idle_ms: max_ms },
    });

  /** Follows redirects within the origin of the server, which keep the method. */
  async function post(sent: SentMessage): Promise<{ reply: Reply; url: string }> {
    const { headers } = sent;
    const body = new TextEncoder().encode(JSON.stringify(sent.message));
    let { url } = options;
    for (let followed = 0; ; followed += 1) {
      const reply = await sendHttp(sent, { url, method: "POST", headers, body });
      const target = followed < MAX_REDIRECTS ? findRedirect(url, reply) : undefined;
      if (target === undefined) return { reply, url };
      reply.cancel();
      url = target;
    }
  }

  async function receive(
    sent: SentMessage,
    reply: Reply,
    url: string,
    memory: ByteReservation,
  ): Promise<object | undefined> {
    const { message, signal } = sent;
    const { status } = reply;
    const id = "method" in message && "id" in message ? message.id : undefined;
    if (status < 200 || status > 299) {
      // Error bodies may contain our credential. Only statuses that the protocol defines are read.
      const isRead = status === 400 || status === 404;
      if (!isRead) reply.cancel();
      const text = isRead ? await receiveErrorText(reply) : "";
      const error = status === 400 && isModern(message) ? readRpcError(text, id) : undefined;
      if (!error) throw httpError(status, text);
      return error;
    }
    if (status === ACCEPTED || id === undefined) {
      await discardResponse(reply, memory);
      return undefined;
    }
    if (isInitialize(message)) transport.sessionId = reply.headers.get("mcp-session-id");
    const resume = (last_event_id: string) => {
      const headers = buildResumeHeaders(sent.headers, reply, last_event_id);
      return sendHttp(sent, { url, method: "GET", headers, body: null });
    };
    const { owner } = options;
    return await receiveResponse(reply, {
      memory,
      signal,
      is_tool_call: isToolCall(message),
      waitToParse: (size) => takeTurnToParse(deps, { owner, size, client: sent }),
      work: deps.turns.measure(owner),
      resume,
      onmessage: deliver,
    });
  }

  /** Drops replies to a server that sends more requests than it accepts replies to. */
  async function sendReply(message: JSONRPCMessage): Promise<void> {
    if (replies === MAX_REPLIES) return;
    replies += 1;
    try {
      await exchange(message);
    } finally {
      replies -= 1;
    }
  }

  const deliver = (message: object) => transport.onmessage?.(parseJSONRPCMessage(message));

  const transport: UpstreamTransport = {
    // Closing the connection of a request cancels it at servers of the 2026 revision.
    hasPerRequestStream: true,
    start: async () => {},
    setProtocolVersion(version) {
      negotiatedVersion = version;
    },
    exchange,
    async send(message, { requestSignal, headers } = {}) {
      if (!("method" in message)) return await sendReply(message);
      const response = await exchange(message, { signal: requestSignal, headers });
      if (response) checkForSdk(response, isToolCall(message));
      for (const one of [response].flat()) if (one) deliver(one);
    },
    async close() {
      for (const one of running) one.abort();
      transport.onclose?.();
    },
  };
  return transport;
}

interface SentMessage {
  message: JSONRPCMessage;
  headers: Record<string, string>;
  signal: AbortSignal;
  /** Timeout. */
  max_ms: number;
}

const ACCEPTED = 202;
/** Limit for replies to one server at a time, each of which takes a connection. */
const MAX_REPLIES = 10;

const isInitialize = (message: JSONRPCMessage): boolean =>
  "method" in message && message.method === "initialize";

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
