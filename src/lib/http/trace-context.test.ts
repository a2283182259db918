import { expect, test } from "bun:test";
import { continueTrace } from "./trace-context.ts";

const ID = "01a1e243-9fac-7672-8fb7-dee101784c91";
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const OWN_SPAN = "8fb7dee101784c91";
const continued = (headers: Record<string, string>) => continueTrace(new Headers(headers), ID);

test("a trace is continued with our span id, the sent flags and the state", () => {
  expect(continued({ traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: "a=1,b=2" })).toEqual({
    traceparent: `00-${TRACE}-${OWN_SPAN}-01`,
    tracestate: "a=1,b=2",
  });
  expect(continued({ traceparent: `00-${TRACE}-${PARENT}-00` })).toEqual({
    traceparent: `00-${TRACE}-${OWN_SPAN}-00`,
  });
});

test.each([
  ["no traceparent", {}],
  ["a state without a trace", { tracestate: "a=1" }],
  ["a malformed trace", { traceparent: "00-xyz", tracestate: "a=1" }],
  ["a trace of zeros", { traceparent: `00-${"0".repeat(32)}-${PARENT}-01` }],
  ["the forbidden version", { traceparent: `ff-${TRACE}-${PARENT}-01` }],
])("%s sends nothing upstream", (_, headers) => {
  expect(continued(headers)).toEqual({});
});

test("a state that exceeds 512 characters is dropped, the trace is not", () => {
  const headers = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: `a=${"x".repeat(511)}` };

  expect(Object.keys(continued(headers))).toEqual(["traceparent"]);
});
