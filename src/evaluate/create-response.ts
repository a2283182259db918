/** Creates the HTTP response of an evaluation, and logs evaluations that leave no event. */
import type { Deps } from "../deps.ts";
import { createHeaderCache } from "../lib/http/header-cache.ts";
import type { ReceivedCall } from "./stages.ts";

const toHeaders = createHeaderCache();

export function createResponse(
  deps: Deps,
  { call, body: { recorded } }: ReceivedCall,
  text: string,
): Response {
  const { trace_id, request_id, headers } = call;
  // Recorded evaluations are logged with their events.
  if (!recorded) deps.log("evaluation", { trace_id, request_id, recorded });
  headers["content-type"] = "application/json";
  return new Response(text, { headers: toHeaders(headers) });
}
