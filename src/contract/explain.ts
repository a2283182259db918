/** Wire shapes of the explain endpoint: where a request would go, and why. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { CAPABILITIES, KINDS } from "./registries.ts";
import { Id, Text } from "./shapes.ts";

/** Why a registry would not be tried, and what to do about it. */
export const EXCLUSION_REASONS = {
  disabled: "The registry is disabled.",
  unusable: "The registry's credential cannot be decrypted.",
  not_pinned: "The request is pinned to something else.",
  capability: "The registry cannot do this.",
  file_elsewhere: "The consumer's own file is at another registry.",
  model_not_allowed: "The consumer may not use this model at this registry.",
  no_default: "The request names no model, and there is no default.",
  needs_model: "The registry's address holds the model, and the request names none.",
  model_name: "The model's name cannot stand in the registry's address.",
  unhealthy: "The registry failed lately or asked to be left alone; others are tried instead.",
} as const;
export type ExclusionReason = keyof typeof EXCLUSION_REASONS;

export const Explanation = z.object({
  endpoint: z.string().nullable().describe("null: no endpoint has this path."),
  capability: z.enum(CAPABILITIES).nullable().describe("null: answered without an upstream."),
  refusal: z
    .object({ status: z.int(), code: z.string(), message: z.string() })
    .nullable()
    .describe("What the caller would get instead of an upstream's answer."),
  order: z.array(Id).describe("The registries in the order they would be tried now."),
  registries: z
    .array(
      z.object({
        id: Id,
        name: z.string(),
        provider: z.enum(KINDS),
        in: z.boolean(),
        reason: z.string().nullable().describe("A code, when it is out."),
        message: z.string().nullable(),
        model: z.string().nullable().describe("The model that would be named upstream."),
        url: z.string().nullable().describe("Where the request would go."),
      }),
    )
    .describe("All attached ones, in attach order."),
});
export type Explanation = z.infer<typeof Explanation>;

export const explainRequest = endpoint({
  name: "explain_request",
  method: "POST",
  path: "/v1/gateways/:gateway_id/consumers/:consumer_id/explain",
  auth: "read",
  summary: "Explain where a request of a consumer would go; nothing is sent",
  body: z.strictObject({
    method: z.string().min(1).max(16).default("POST"),
    path: Text.describe("Behind `/{consumer}`, such as `/v1/images/generations`."),
    model: z.string().max(4096).optional().describe("As in the body or the form."),
    headers: z
      .record(Text.min(1).max(128), Text)
      .default({})
      .describe("`X-AG-Pin` and user headers count; keys are not needed."),
  }),
  reply: Explanation,
  writes: false,
});
