/** Identifies the consumer by slug, key and gateway slug, then checks the method, all in memory (spec 5). */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { findConsumer } from "../snapshot/find-consumer.ts";
import { startRequest } from "./request-progress.ts";
import type { AuthenticatedRequest, MatchedRequest } from "./stages.ts";

export function identifyConsumer(deps: Deps, matched: MatchedRequest): AuthenticatedRequest {
  const { request, endpoint, slug, search } = matched;
  if (endpoint.version === "v1beta") rejectKeyInQuery(search);
  const { consumer, key } = findConsumer(deps.snapshot(), {
    slug,
    headers: request.headers,
    at: deps.now(),
    needs_gateway: deps.settings.PRIVATE_DATA_PLANE,
    keyring: deps.keyring,
  });
  if (!endpoint.methods.includes(request.method)) {
    // Clients that prefer WebSocket fall back to HTTP only on this status.
    if (request.headers.get("upgrade")?.toLowerCase() === "websocket") {
      throw new AppError("upgrade_required", undefined, { details: { upgrade: "HTTP/1.1" } });
    }
    const text = `Method not allowed. This path accepts ${endpoint.methods.join(" and ")}.`;
    throw new AppError("invalid_request", text, { details: { param: "method" } });
  }
  deps.markUsed("consumer_keys", key.id);
  return { ...matched, consumer, key, progress: startRequest(deps) };
}

/** Rejects the key parameters of Google APIs: proxies log query strings. */
function rejectKeyInQuery(search: string): void {
  const param = KEY_PARAMETER.exec(search)?.[1];
  if (param === undefined) return;
  const text = `Send the key in the header x-goog-api-key, not as ${param} in the query string.`;
  throw new AppError("invalid_request", text, { details: { param } });
}

const KEY_PARAMETER = /[?&](key|access_token|oauth_token)=/;
