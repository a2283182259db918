/** Sends data-plane requests of a consumer from the browser, with a short-lived token instead of a key. */
import { AppError } from "../../contract/errors.ts";
import type { PLAYGROUND_HEADER } from "../../contract/gateway/playground.ts";
import { now } from "../../lib/time/clock.ts";
import { call, ROOT_URL } from "../api.ts";
import { playground } from "../endpoints.ts";

export interface SentRequest {
  /** Path after `/{consumer}`. */
  path: string;
  /** JSON value or form; undefined for a GET. */
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

export function createSender(params: { gateway_id: string; consumer_id: string }, slug: string) {
  let known: { token: string; expires_at: string } | undefined;
  const send: SendAsConsumer = async ({ path, body, signal }) => {
    if (!known || Date.parse(known.expires_at) - now().getTime() < MARGIN_MS) {
      known = await call(playground.createToken, { params });
    }
    const isForm = body instanceof FormData;
    try {
      return await fetch(new URL(`${slug}${path}`, ROOT_URL), {
        method: body === undefined ? "GET" : "POST",
        headers: {
          [TOKEN_HEADER]: known.token,
          ...(body === undefined || isForm ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
        signal: signal ?? null,
      });
    } catch (thrown) {
      if (signal?.aborted) throw thrown;
      throw new AppError("unavailable", "The gateway is unreachable from this page.", {
        cause: thrown,
      });
    }
  };
  return send;
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
