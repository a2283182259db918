/** Names a request in answers, logs and events; a trace that began elsewhere is continued. */
import { randomBytes } from "node:crypto";
import type { RequestIds } from "./render-error.ts";

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}/;

export function requestIds(headers: Headers, newId: () => string): RequestIds {
  const continued = TRACEPARENT.exec(headers.get("traceparent") ?? "")?.[1];
  return { trace_id: continued ?? randomBytes(16).toString("hex"), request_id: newId() };
}
