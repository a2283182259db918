/** Allows browser pages of the consumer's origins to call it. */
import type { Deps } from "../deps.ts";
import { corsHeaders, preflightHeaders } from "../lib/http/cors.ts";
import type { MatchedRequest } from "./stages.ts";

/** Adds the CORS headers to the response. Returns the response to a preflight, which has no key. */
export function applyCors(deps: Deps, matched: MatchedRequest): Response | undefined {
  const consumer = deps.snapshot().consumersBySlug.get(matched.slug);
  if (!consumer?.active || consumer.cors.origins.length === 0) return undefined;
  const { request, endpoint, context } = matched;
  const origin = request.headers.get("origin");
  // A cache must not serve one origin's response to another, or to a client without an origin.
  context.headers.vary = "Origin";
  if (origin === null || !consumer.cors.origins.includes(origin)) return undefined;
  Object.assign(context.headers, corsHeaders(origin));
  const preflight = preflightHeaders(request, endpoint.methods.join(", "));
  return (
    preflight && new Response(null, { status: 204, headers: { ...context.headers, ...preflight } })
  );
}
