/** Serves a plain request: runs it, and encodes the result in the client's revision. */
import { type Result, SERVER_INFO_META_KEY } from "@modelcontextprotocol/server";
import { AppError } from "../../contract/errors.ts";
import { withTimeout } from "../../lib/time/with-timeout.ts";
import { callTool } from "./call-tool.ts";
import { listTools } from "./list-tools.ts";
import type { PlainRequest } from "./plain-request.ts";
import { type McpSession, serverInfoOf } from "./session.ts";

export async function servePlainRequest(
  session: McpSession,
  request: PlainRequest,
  signal: AbortSignal,
): Promise<Response> {
  const { id, era } = request;
  const message = run(session, request, signal).then((result) => ({ jsonrpc: "2.0", id, result }));
  // Clients of the 2026 revision get no comments in a response without progress from the SDK either.
  const early = era === "modern" ? await message : await waitBriefly(message);
  if (!early || signal.aborted) {
    return streamMessage(message.catch(toRpcError(session, id)), signal);
  }
  const json = JSON.stringify(early);
  if (json.length <= MAX_UNCOUNTED_CHARACTERS) session.cleanup.dispose();
  return new Response(json, { headers: JSON_HEADERS });
}

/** The memory of a longer response counts until the client has read it. */
const MAX_UNCOUNTED_CHARACTERS = 64 * 1024;
const JSON_HEADERS = { "content-type": "application/json;charset=utf-8" } as const;

async function run(
  session: McpSession,
  request: PlainRequest,
  signal: AbortSignal,
): Promise<Result> {
  const result: Result =
    request.method === "tools/list"
      ? { tools: await listTools(session) }
      : await callTool(session, { ...request, signal, onprogress: undefined });
  if (request.era === "legacy") return result;
  const _meta = { ...result._meta, [SERVER_INFO_META_KEY]: serverInfoOf(session) };
  const caching = request.method === "tools/list" ? NOT_CACHED : {};
  return { resultType: "complete", ...caching, ...result, _meta };
}

const NOT_CACHED = { ttlMs: 0, cacheScope: "private" } as const;

/** Returns undefined when the message takes longer. */
async function waitBriefly<T>(message: Promise<T>): Promise<T | undefined> {
  try {
    return await withTimeout(message, STREAM_AFTER_MS, () => LATE);
  } catch (thrown) {
    if (thrown === LATE) return undefined;
    throw thrown;
  }
}

/** Created once: an error of each request would record a stack. */
const LATE = new AppError("upstream_timeout");
const STREAM_AFTER_MS = 2_000;
const COMMENT_EVERY_MS = 15_000;

const STREAM_HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

/**
 * Returns a stream with comments until the message arrives, so that proxies do not close the connection. The stream
 * is empty for a request that its client has canceled.
 */
function streamMessage(message: Promise<object>, canceled: AbortSignal): Response {
  const encoder = new TextEncoder();
  let timer: Timer | undefined;
  const end = () => clearInterval(timer);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string) => controller.enqueue(encoder.encode(text));
      timer = setInterval(() => write(COMMENT), COMMENT_EVERY_MS);
      if (!canceled.aborted) write(COMMENT);
      message
        .then((one) => {
          end();
          // A disconnect also cancels the stream, which accepts no more text then.
          if (canceled.aborted) return;
          write(`event: message\ndata: ${JSON.stringify(one)}\n\n`);
        })
        .finally(() => controller.close())
        .catch(() => {});
    },
    cancel: end,
  });
  return new Response(body, { headers: STREAM_HEADERS });
}

const COMMENT = ": keepalive\n\n";

const INTERNAL_ERROR = -32603;

const toRpcError =
  ({ deps, author }: McpSession, id: PlainRequest["id"]) =>
  (thrown: unknown) => {
    const error = AppError.from(thrown);
    const { trace_id } = author;
    deps.log("mcp_request_failed", { level: "error", trace_id, error: error.cause ?? error });
    return { jsonrpc: "2.0", id, error: { code: INTERNAL_ERROR, message: error.message } };
  };
