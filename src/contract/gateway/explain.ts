/** Wire shapes of the explain endpoint: the routing of a request, and the reasons for it. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { GuardSettings } from "../guard/guard-settings.ts";
import { MODES } from "../guard/policies.ts";
import { Id, Text } from "../shapes.ts";
import { CAPABILITIES, KINDS } from "./registries.ts";

/** Reasons why a registry is excluded from a request. */
export const EXCLUSION_REASONS = {
  disabled: "The registry is disabled.",
  unusable: "The registry's credential cannot be decrypted.",
  not_pinned: "The request is pinned to another registry or provider.",
  capability: "The registry does not support this endpoint.",
  file_elsewhere: "The consumer's file or other stored object is at another registry.",
  model_not_allowed: "The consumer may not use this model at this registry.",
  batch_file:
    "The models of the batch are in a file, and the consumer's models are limited or mapped.",
  no_default: "The request names no model, and no default is configured.",
  needs_model: "The registry's address contains the model, and the request names none.",
  model_name: "The model name cannot be part of the registry's address.",
  unhealthy: "The registry failed recently or sent Retry-After; others are tried instead.",
} as const;
export type ExclusionReason = keyof typeof EXCLUSION_REASONS;

export const Explanation = z.object({
  endpoint: z.string().nullable().describe("null: no endpoint has this path."),
  capability: z.enum(CAPABILITIES).nullable().describe("null: no upstream is called."),
  refusal: z
    .object({ status: z.int(), code: z.string(), message: z.string() })
    .nullable()
    .describe("Error that the caller would receive. null: the request is forwarded."),
  order: z.array(Id).describe("Registries in the order of the attempts."),
  fallbacks: z
    .array(
      z.object({ registry_id: Id, model: z.string().describe("Model in the upstream request.") }),
    )
    .describe("Attempts with the consumer's fallback models, after those of `order`."),
  registries: z
    .array(
      z.object({
        id: Id,
        name: z.string(),
        provider: z.enum(KINDS),
        in: z.boolean(),
        reason: z.string().nullable().describe("Reason code, if the registry is excluded."),
        message: z.string().nullable(),
        model: z.string().nullable().describe("Model in the upstream request."),
        dialect: z.enum(CAPABILITIES).nullable().describe("API format of the upstream request."),
        translated: z.boolean().describe("The upstream's API format is not that of the client."),
        url: z.string().nullable().describe("Address of the upstream request."),
      }),
    )
    .describe("All attached registries, in the order of the consumer."),
  guard: z
    .object({
      collector: z.object({ id: Id, name: z.string() }),
      policy: z
        .object({ id: Id, name: z.string(), version: z.int(), mode: z.enum(MODES) })
        .nullable()
        .describe("null: the collector has no policy, and everything is allowed."),
      input: z.boolean().describe("The request is evaluated."),
      output: z.boolean().describe("The response is evaluated."),
      stream: GuardSettings.shape.stream.unwrap(),
      on_ask: GuardSettings.shape.on_ask.unwrap(),
    })
    .nullable()
    .describe(
      "Evaluation of the request. null: the consumer has no guard, or the request is rejected.",
    ),
});
export type Explanation = z.infer<typeof Explanation>;

export const explainRequest = endpoint({
  name: "explain_request",
  method: "POST",
  path: "/v1/gateways/:gateway_id/consumers/:consumer_id/explain",
  auth: "read",
  summary: "Explain the routing of a consumer's request, without sending it",
  body: z.strictObject({
    method: z.string().min(1).max(16).default("POST"),
    path: Text.describe("Path after `/{consumer}`, such as `/v1/images/generations`."),
    model: z.string().max(4096).optional().describe("Model in the request body."),
    headers: z
      .record(Text.min(1).max(128), Text)
      // The time to build Headers grows with the square of their number.
      .refine((headers) => Object.keys(headers).length <= 100, "must have at most 100 headers")
      .default({})
      .describe(
        "Request headers. `X-AG-Pin` and user headers affect the routing; keys are not needed.",
      ),
  }),
  reply: Explanation,
  writes: false,
});
