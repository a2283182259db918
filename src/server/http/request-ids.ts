/** Creates the ids of a request, and continues the trace of the client. */
import type { Plane } from "../../contract/endpoint.ts";
import { readTraceId } from "../../lib/http/trace-context.ts";
import type { RequestIds } from "../../route.ts";

const TRACE_NAME = /^[\w.:-]{1,128}$/;

/** A new trace id has the digits of the request id: they begin with the time, so indexes grow at their end. */
export function readRequestIds(headers: Headers, newId: () => string, plane: Plane): RequestIds {
  const request_id = newId();
  // Gateways that ask the guard name their trace in a header of their own.
  const named = plane === "guard" ? headers.get("x-trace-id") : null;
  if (named !== null && TRACE_NAME.test(named)) return { trace_id: named, request_id };
  return { trace_id: readTraceId(headers) ?? toHexDigits(request_id), request_id };
}

/** Returns the id without its dashes. */
const toHexDigits = (id: string): string =>
  id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24);
