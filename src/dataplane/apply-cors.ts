/** Lets pages of the consumer's origins call it from a browser. */
import type { Deps } from "../deps.ts";
import { corsHeaders, preflightHeaders } from "../lib/http/cors.ts";
import type { MatchedRequest } from "./stages.ts";

/** Adds the CORS headers to whatever is sent; returns the response to a preflight, which carries no key. */
export function applyCors(deps: Deps, matched: MatchedRequest): Response | undefined {
  const consumer = deps.snapshot().consumersBySlug.get(matched.slug);
  if (!consumer?.active || consumer.cors.origins.length === 0) return undefined;
  const { request, endpoint, ids } = matched;
  const origin = request.headers.get("origin");
  // A cache must not hand one origin's response to another, or to a client without one.
  ids.headers.vary = "Origin";
  if (origin === null || !consumer.cors.origins.includes(origin)) return undefined;
  Object.assign(ids.headers, corsHeaders(origin));
  const preflight = preflightHeaders(request, endpoint.methods.join(", "));
  return (
    preflight && new Response(null, { status: 204, headers: { ...ids.headers, ...preflight } })
  );
}
