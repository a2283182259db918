import { expect, test } from "bun:test";
import type { Verdict } from "../contract/guard/evaluate.ts";
import { toLitellm } from "./litellm.ts";

function createAskVerdict(approval_id: string | null): Verdict {
  const source = {
    kind: "gate" as const,
    gate_name: "Payments",
    policy_id: "p",
    policy_version: 1,
  };
  const signal = { type: "gate", confidence: 1 };
  return {
    status: "ask",
    findings: [{ source, signal, outcome: { action: "ask" }, evidence: { approval_id } }],
    transformed_payload: null,
    policy: null,
    detectors: { run: 0, skipped: 0, failed: [], uninspected: [] },
    latency_ms: 0,
    trace_id: "t",
    request_id: "r",
  };
}

test("the reason of an ask verdict names its approval, or says that the request failed", () => {
  const reason = (id: string | null) =>
    toLitellm({ input_type: "request" }, { verdict: createAskVerdict(id), transformed: null })
      .blocked_reason;

  expect(reason("a1")).toEndWith(": gate (Payments). Approval a1.");
  expect(reason(null)).toEndWith(
    ": gate (Payments). The approval could not be requested. Try again.",
  );
});
