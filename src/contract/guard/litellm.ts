/** Wire shapes of LiteLLM's generic guardrail API, for its proxy. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";

const optional = <Type extends z.ZodType>(type: Type) => type.nullish();
const Metadata = z.record(z.string(), z.unknown());

/** Ignores members that later versions of LiteLLM add. */
export const LitellmRequest = z.object({
  input_type: z.enum(["request", "response"]),
  texts: optional(z.array(z.string())).describe("Text of all messages, in order."),
  structured_messages: optional(z.array(z.unknown())),
  images: optional(z.array(z.string())),
  tools: optional(z.array(z.unknown())),
  tool_calls: optional(z.array(z.unknown())),
  model: optional(z.string()),
  litellm_call_id: optional(z.string()),
  litellm_trace_id: optional(z.string()),
  request_data: optional(Metadata).describe("Caller of the proxy: members `user_api_key_…`."),
  additional_provider_specific_params: optional(Metadata).describe("Attributes for conditions."),
});
export type LitellmRequest = z.infer<typeof LitellmRequest>;

export const LitellmReply = z.object({
  action: z.enum(["NONE", "BLOCKED", "GUARDRAIL_INTERVENED"]),
  blocked_reason: z.string().optional(),
  texts: z.array(z.string()).optional().describe("Rewritten texts, as many as were sent."),
  structured_messages: z.array(z.unknown()).optional(),
  tools: z.array(z.unknown()).optional(),
  stream_holdback_chars: z
    .array(z.int())
    .optional()
    .describe("Characters at the end of each text of a stream that later text may still mask."),
});
export type LitellmReply = z.infer<typeof LitellmReply>;

export const litellmGuardrail = endpoint({
  name: "litellm_guardrail",
  method: "POST",
  path: "/beta/litellm_basic_guardrail_api",
  plane: "guard",
  auth: "collector",
  summary: "LiteLLM's generic guardrail API; accepts the collector key as `x-api-key`",
  body: LitellmRequest,
  reply: LitellmReply,
  writes: false,
});
