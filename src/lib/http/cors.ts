/** Builds the headers of the CORS protocol (Fetch standard). Keys are sent in headers, so cookies are never allowed. */

/** Lets pages of `origin` read a response. Without cookies, `*` exposes every header. */
export const corsHeaders = (origin: string): Record<string, string> => ({
  // A cache must not serve one origin's response to another.
  vary: "Origin",
  "access-control-allow-origin": origin,
  "access-control-expose-headers": "*",
});

/** Returns the additional headers of a preflight response; undefined when the request is not a preflight. */
export function preflightHeaders(
  { method, headers }: Request,
  methods: string,
): Record<string, string> | undefined {
  if (method !== "OPTIONS" || !headers.has("access-control-request-method")) return undefined;
  const names = headers.get("access-control-request-headers") ?? "";
  return {
    "access-control-allow-methods": methods,
    "access-control-max-age": MAX_AGE_S,
    ...(HEADER_NAMES.test(names) ? { "access-control-allow-headers": names } : {}),
  };
}

const MAX_AGE_S = "600";
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(, ?[\w!#$%&'*+.^`|~-]+)*$/;
