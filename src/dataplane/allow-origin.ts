/** Lets pages of the consumer's origins call it from a browser (Fetch standard, CORS protocol). */
import type { Deps } from "../deps.ts";
import type { Asked } from "./stages.ts";

/** Adds the CORS headers to whatever is sent; returns the response to a preflight, which carries no key. */
export function allowOrigin(deps: Deps, asked: Asked): Response | undefined {
  const consumer = deps.snapshot().consumersBySlug.get(asked.slug);
  if (!consumer?.active || consumer.cors.origins.length === 0) return undefined;
  const { request, endpoint, ids } = asked;
  const origin = request.headers.get("origin");
  // A cache must not hand one origin's response to another.
  ids.headers.vary = "Origin";
  if (origin === null || !consumer.cors.origins.includes(origin)) return undefined;
  // Keys travel in headers of the page's own making, so cookies are never allowed, and `*` is safe here.
  ids.headers["access-control-allow-origin"] = origin;
  ids.headers["access-control-expose-headers"] = "*";
  const wanted = request.headers.get("access-control-request-method");
  if (request.method !== "OPTIONS" || wanted === null) return undefined;
  const names = request.headers.get("access-control-request-headers") ?? "";
  const headers = {
    ...ids.headers,
    "access-control-allow-methods": endpoint.methods.join(", "),
    "access-control-max-age": MAX_AGE_S,
    ...(HEADER_NAMES.test(names) ? { "access-control-allow-headers": names } : {}),
  };
  return new Response(null, { status: 204, headers });
}

const MAX_AGE_S = "600";
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(, ?[\w!#$%&'*+.^`|~-]+)*$/;
