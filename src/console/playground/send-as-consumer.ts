/** Sends requests of a consumer or a collector from the browser, with a short-lived token instead of a key. */
import { AppError } from "../../contract/errors.ts";
import type { PLAYGROUND_HEADER } from "../../contract/gateway/playground.ts";
import { now } from "../../lib/time/clock.ts";
import { call, ROOT_URL } from "../api.ts";
import { playground } from "../endpoints.ts";

export interface SentRequest {
  /** Path after `/{consumer}`. */
  path: string;
  /** Left out: GET without a body, POST with one. */
  method?: "DELETE";
  /** JSON value or form. */
  body?: unknown;
  signal?: AbortSignal;
}

/** Status, duration and headers of a response. */
export interface ReplyFacts {
  status: number;
  /** Milliseconds until the response headers. */
  ms: number;
  headers: readonly (readonly [string, string])[];
}

export type SendAsConsumer = (request: SentRequest) => Promise<Response>;

const TOKEN_HEADER: typeof PLAYGROUND_HEADER = "x-ag-playground-token";
/** A token is replaced this long before it expires. */
const MARGIN_MS = 60_000;

/** Returns a function that sends requests of a consumer. */
export const createConsumerSender = (
  params: { gateway_id: string; consumer_id: string },
  slug: string,
): SendAsConsumer =>
  createSender(
    `${slug}/`,
    () => call(playground.createToken, { params }),
    (token) => ({ [TOKEN_HEADER]: token }),
  );

/** Returns a function that sends evaluations of a collector. */
export const createCollectorSender = (collector_id: string): SendAsConsumer =>
  createSender(
    "",
    () => call(playground.createCollectorToken, { params: { collector_id } }),
    (token) => ({ authorization: `Bearer ${token}` }),
  );

function createSender(
  base: string,
  createToken: () => Promise<{ token: string; expires_at: string }>,
  authorize: (token: string) => Record<string, string>,
): SendAsConsumer {
  let known: { token: string; expires_at: string } | undefined;
  return async ({ path, body, method = body === undefined ? "GET" : "POST", signal }) => {
    if (!known || Date.parse(known.expires_at) - now().getTime() < MARGIN_MS) {
      known = await createToken();
    }
    const isJson = body !== undefined && !(body instanceof FormData);
    try {
      return await fetch(new URL(`${base}${path.slice(1)}`, ROOT_URL), {
        method,
        headers: {
          ...authorize(known.token),
          // Required by MCP.
          accept: "application/json, text/event-stream, */*",
          ...(isJson ? { "content-type": "application/json" } : {}),
        },
        // A FormData sets its own type.
        ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : (body as FormData) }),
        signal: signal ?? null,
      });
    } catch (thrown) {
      if (signal?.aborted) throw thrown;
      throw new AppError("unavailable", "The gateway is unreachable from this page.", {
        cause: thrown,
      });
    }
  };
}

/** Returns the message of an error response in any of the formats of the data plane. */
export async function readProblem(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const body = JSON.parse(text) as { error?: { message?: string } | string; message?: string };
    const nested = typeof body.error === "object" ? body.error.message : undefined;
    return nested ?? body.message ?? text;
  } catch {
    return text || `Status ${response.status}`;
  }
}

export const readFacts = (response: Response, startedAt: number): ReplyFacts => ({
  status: response.status,
  ms: performance.now() - startedAt,
  headers: [...response.headers],
});
