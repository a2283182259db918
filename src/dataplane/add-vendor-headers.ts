/** Adds the upstream's request id and rate limits to the response headers, without replacing those of the gateway. */
import type { ReplyHeaders } from "../net/http/read-header-block.ts";

/** More than any provider sends. */
const MAX_HEADERS = 32;

export function addVendorHeaders(headers: Record<string, string>, upstream: ReplyHeaders): void {
  let added = 0;
  for (const [name, value] of upstream.entries()) {
    if (!VENDOR_HEADER.test(name)) continue;
    if (added === MAX_HEADERS) return;
    headers[REQUEST_ID.test(name) ? "x-ag-upstream-request-id" : name] = value;
    added += 1;
  }
}

/** Names that the gateway uses for its own request id. */
const REQUEST_ID = /^(?:x-)?request-id$/;

/** Request ids and rate limits, except the names of the gateway's own limits. */
const VENDOR_HEADER =
  /^(?:(?:x-)?request-id|apim-request-id|x-ms-request-id|x-amzn-requestid|mistral-correlation-id|retry-after-ms|(?:x-|anthropic-)?ratelimit(?!-(?:global|per_\w+|store)(?:-|$)).*)$/;
