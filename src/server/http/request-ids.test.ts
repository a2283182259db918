import { expect, test } from "bun:test";
import { readRequestIds } from "./request-ids.ts";

const ID = "0192f0c1-2d3e-7000-8000-0123456789ab";
const OWN = ID.replaceAll("-", "");
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const traceOf = (headers: Record<string, string>, plane: "guard" | "gateway" = "gateway") =>
  readRequestIds(new Headers(headers), () => ID, plane).trace_id;

test.each<[string, Record<string, string>, string]>([
  ["is continued", { traceparent: `00-${TRACE}-b7ad6b7169203331-01` }, TRACE],
  ["of an invalid version is replaced", { traceparent: `ff-${TRACE}-b7ad6b7169203331-01` }, OWN],
  ["of zeros is replaced", { traceparent: `00-${"0".repeat(32)}-b7ad6b7169203331-01` }, OWN],
  ["that is missing is created", {}, OWN],
])("a trace %s", (_, headers, trace_id) => {
  expect(traceOf(headers)).toBe(trace_id);
});

test("x-trace-id is accepted by the guard only, as a short word", () => {
  expect(traceOf({ "x-trace-id": "gw-1" }, "guard")).toBe("gw-1");
  expect(traceOf({ "x-trace-id": "gw-1" })).toBe(OWN);
  expect(traceOf({ "x-trace-id": "a".repeat(129) }, "guard")).toBe(OWN);
  expect(traceOf({ "x-trace-id": "a b" }, "guard")).toBe(OWN);
});
