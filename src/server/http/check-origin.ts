/** Rejects requests from web pages of other sites, which could reach this program by DNS rebinding. */
import { AppError } from "../../contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { parseRequestUrl } from "../../lib/http/parse-request-url.ts";
import { LOOPBACK } from "./public-origin.ts";

/** Returns the Origin of a page that may call the MCP endpoint; undefined when the client is not a browser. */
export function checkOrigin(
  deps: Deps,
  request: Request,
  slug: string | undefined,
): string | undefined {
  const sent = request.headers.get("origin");
  if (sent === null) return undefined;
  if (deps.settings.MCP_ALLOWED_ORIGINS.includes(sent) || sent === ownOrigin(deps, request)) {
    return sent;
  }
  const consumer = deps.snapshot().consumersBySlug.get(slug ?? "");
  if (consumer?.active && consumer.cors.origins.includes(sent)) return sent;
  const text =
    "Origin: pages of this site may not call the MCP endpoint. Add the origin to MCP_ALLOWED_ORIGINS, or to cors.origins of the consumer.";
  throw new AppError("forbidden", text);
}

function ownOrigin({ settings }: Deps, request: Request): string | undefined {
  if (settings.PUBLIC_URL !== undefined) return new URL(settings.PUBLIC_URL).origin;
  // The Host header is trusted only for a loopback name.
  const { origin, hostname } = parseRequestUrl(request);
  return LOOPBACK.test(hostname) ? origin : undefined;
}
