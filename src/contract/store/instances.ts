/** Wire shapes of the test of an MCP instance. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";

const TOOL_STATES = ["offered", "not_allowed", "held"] as const;

export const InstanceReport = z.object({
  ok: z.boolean().describe("The server responded as expected."),
  latency_ms: z.number(),
  message: z.string().describe("Result, and what to do if the test failed."),
  tools: z
    .array(
      z.object({
        name: z.string(),
        description: z.string().describe("At most 300 characters."),
        state: z
          .enum(TOOL_STATES)
          .describe(
            "`not_allowed`: not in the allowed tools of the instance. `held`: new or changed; an administrator must accept it.",
          ),
      }),
    )
    .describe("Tools of the server. Empty if each person needs an account or a key."),
  notes: z.array(z.string()).describe("Tools that were left out, in sentences."),
});
export type InstanceReport = z.infer<typeof InstanceReport>;

export const testInstance = endpoint({
  name: "test_instance",
  method: "POST",
  path: "/v1/gateways/:gateway_id/store/instances/:instance_id/test",
  auth: "write",
  summary: "Connect to the server of an MCP instance and list its tools; nothing is saved",
  reply: InstanceReport,
  writes: false,
  calls_out: true,
});
