/** Names a request in answers, logs and events; a trace that began elsewhere is continued. */
import type { Plane } from "../../contract/endpoint.ts";
import { readTraceId } from "../../lib/http/trace-context.ts";
import type { RequestIds } from "../../route.ts";

const TRACE_NAME = /^[\w.:-]{1,128}$/;

/** A trace of our own has the digits of the request id: they begin with the time, so indexes grow at their end. */
export function readRequestIds(headers: Headers, newId: () => string, plane: Plane): RequestIds {
  const request_id = newId();
  // Gateways that ask the guard name their trace in a header of their own.
  const named = plane === "guard" ? headers.get("x-trace-id") : null;
  if (named !== null && TRACE_NAME.test(named)) return { trace_id: named, request_id };
  return { trace_id: readTraceId(headers) ?? digitsOf(request_id), request_id };
}

/** The id without its dashes. */
const digitsOf = (id: string): string =>
  id.slice(0, 8) + id.slice(9, 13) + id.slice(14, 18) + id.slice(19, 23) + id.slice(24);
