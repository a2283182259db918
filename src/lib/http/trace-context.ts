/** W3C trace context (https://www.w3.org/TR/trace-context/): continues a trace in the calls that a request causes. */

const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-((?!0{32})[0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(?=-|$)/;

/** Returns the trace id that the client sent; undefined when it sent none or a malformed one. */
export function readTraceId(headers: Headers): string | undefined {
  const sent = headers.get("traceparent");
  return sent === null ? undefined : TRACEPARENT.exec(sent)?.[1];
}

/**
 * Returns the headers that continue the client's trace upstream, none when there is no trace. Our span
 * id is the second half of the request id, so that the span is found in logs and events.
 */
export function continueTrace(headers: Headers, request_id: string): Record<string, string> {
  const sent = headers.get("traceparent");
  if (sent === null) return NONE;
  const [, trace_id, flags] = TRACEPARENT.exec(sent) ?? [];
  if (trace_id === undefined) return NONE;
  const span_id = request_id.slice(19, 23) + request_id.slice(24);
  const continued = { traceparent: `00-${trace_id}-${span_id}-${flags}` };
  const state = headers.get("tracestate");
  return state !== null && state.length <= MAX_STATE
    ? { ...continued, tracestate: state }
    : continued;
}

const NONE = {};
/** The specification requires participants to propagate this many characters. */
const MAX_STATE = 512;
