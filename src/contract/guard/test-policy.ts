/** Wire shapes of policy tests: evaluates a sample with a saved or draft policy. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { Id } from "../shapes.ts";
import { StoredText } from "./activity.ts";
import { EvaluateRequest, Verdict } from "./evaluate.ts";
import { PolicyInput } from "./policies.ts";

export const PolicyTestResult = Verdict.extend({
  content: z
    .array(StoredText)
    .describe("Inspected texts. The places of the findings refer to them."),
  detector_times: z
    .array(
      z.object({
        detector_id: Id,
        detector_name: z.string(),
        ms: z.number().describe("Duration in milliseconds."),
      }),
    )
    .describe("Time per detector, slowest first. Empty if a small body contains a document."),
});
export type PolicyTestResult = z.infer<typeof PolicyTestResult>;

export const testPolicy = endpoint({
  name: "test_policy",
  method: "POST",
  path: "/v1/policies/:policy_id/test",
  auth: "write",
  summary: "Evaluate a sample with a draft or the latest version, without recording an event",
  body: EvaluateRequest.omit({ gateway_id: true, collector_key: true }).extend({
    draft: PolicyInput.nullable()
      .default(null)
      .describe("Policy to test, validated as if it were saved. null: the saved policy."),
  }),
  reply: PolicyTestResult,
  writes: false,
});
