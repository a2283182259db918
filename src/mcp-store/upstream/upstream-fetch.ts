/** How the MCP client's HTTP leaves the program: by the one way out, bounded in time and size. */
import {
  type FetchLike,
  type JSONRPCMessage,
  parseJSONRPCMessage,
} from "@modelcontextprotocol/client";
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { sseEvents } from "../../lib/sse-events.ts";
import type { Reply } from "../../net/http/reply.ts";
import { isEventStream, type ReplyHeaders } from "../../net/http/reply-head.ts";
import { readText } from "../../net/read-body.ts";

/** Handshakes and lists: what takes longer counts as dead. */
export const QUICK_MS = 5_000;
/** One answer, a tool's result included. */
const MOST_BYTES = 16 * 1024 * 1024;

export interface FetchOptions {
  allow_private: boolean;
  /** Added to every request: the credential, as it is now. */
  headers: () => Record<string, string>;
  /** Hears what a server streams before its answer, as it comes: progress. */
  early: (message: JSONRPCMessage) => void;
}

export function upstreamFetch(
  deps: Deps,
  { allow_private, headers, early }: FetchOptions,
): FetchLike {
  const call_ms = deps.settings.UPSTREAM_HEADER_TIMEOUT_S * 1000;
  return async (url, init = {}) => {
    // The client would keep a stream open for each upstream; lists are asked again anyway.
    if (init.method === "GET") return new Response(null, { status: NO_STREAM });
    const body = typeof init.body === "string" ? init.body : null;
    const mostMs = body && isToolCall(body) ? call_ms : QUICK_MS;
    // From the first byte out to the last one in: an answer that trickles ends too.
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new AppError("upstream_timeout")), mostMs);
    try {
      const reply = await deps.send({
        url: String(url),
        method: init.method ?? "POST",
        headers: { ...Object.fromEntries(new Headers(init.headers)), ...headers() },
        body: body === null ? null : new TextEncoder().encode(body),
        allow_private,
        signal: init.signal ? AbortSignal.any([late.signal, init.signal]) : late.signal,
        timeouts: { headers_ms: mostMs, idle_ms: mostMs },
      });
      return await whole(reply, early);
    } finally {
      clearTimeout(timer);
    }
  };
}

const NO_STREAM = 405;

function isToolCall(body: string): boolean {
  const message: unknown = JSON.parse(body);
  return (message as { method?: unknown }).method === "tools/call";
}

/**
 * The SDK waits for its own timeout when a stream of events breaks, and reads one of any size: so a
 * stream is read here, up to the answer, which is handed over as JSON.
 */
async function whole(reply: Reply, early: FetchOptions["early"]): Promise<Response> {
  const { status, headers } = reply;
  const ok = status >= 200 && status < 300;
  const type = headers.get("content-type") ?? "";
  if (ok && isEventStream(headers)) {
    return new Response(await answerIn(reply, early), {
      headers: { ...sessionOf(headers), "content-type": "application/json" },
    });
  }
  // Error bodies may repeat our credential. Only the protocol's own refusals are read on.
  const told = ok || status === 400 || status === 404;
  if (!told) reply.cancel();
  const text = told ? await readText(reply, MOST_BYTES) : "";
  return new Response(text || null, {
    status,
    headers: { ...kept(headers), "content-type": type },
  });
}

async function answerIn(reply: Reply, early: FetchOptions["early"]): Promise<string> {
  try {
    for await (const event of sseEvents(capped(reply))) {
      const message = parsed(event);
      if ("result" in message || "error" in message) return event;
      early(parseJSONRPCMessage(message));
    }
  } finally {
    reply.cancel();
  }
  throw new AppError("upstream_failed", "The server broke off before its answer.");
}

function parsed(event: string): object {
  try {
    const message: unknown = JSON.parse(event);
    if (typeof message === "object" && message !== null) return message;
  } catch {
    // Told below.
  }
  throw new AppError("upstream_failed", "The server sent an event that is not JSON.");
}

async function* capped(reply: Reply): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for (let chunk = await reply.read(); chunk; chunk = await reply.read()) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) {
      const mib = MOST_BYTES / 1024 / 1024;
      throw new AppError("upstream_failed", `The server answered more than ${mib} MiB.`);
    }
    yield chunk;
  }
}

const sessionOf = (headers: ReplyHeaders): Record<string, string> => {
  const session = headers.get("mcp-session-id");
  return session === undefined ? {} : { "mcp-session-id": session };
};

/** `location` is judged by the SDK: it follows within the same origin only. */
const kept = (headers: ReplyHeaders): Record<string, string> => {
  const location = headers.get("location");
  return { ...sessionOf(headers), ...(location === undefined ? {} : { location }) };
};
