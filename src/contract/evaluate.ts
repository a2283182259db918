/** Wire shapes of evaluation: what is asked, the verdict and its findings (spec 2, 3 and 4.3). */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Id } from "./shapes.ts";

export const DIRECTIONS = ["input", "output"] as const;
export type Direction = (typeof DIRECTIONS)[number];
export const PROTOCOLS = ["all", "llm", "mcp", "a2a"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/** From the most to the least restrictive (spec 3). */
export const STATUSES = ["block", "ask", "transform", "report", "allow"] as const;
export type Status = (typeof STATUSES)[number];
/** What a finding may say was done. */
export const ACTIONS = ["block", "ask", "transform", "report"] as const;
export type Action = (typeof ACTIONS)[number];

/**
 * What it holds is taken as it is: whatever a provider's body may be. Not z.looseObject: its copy lacks a
 * member called `__proto__`, which nothing would then look at.
 */
const OpenObject = (z.unknown() as z.ZodType<Record<string, unknown>>)
  .refine(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "expected object",
  )
  .meta({ type: "object" });

/** Real clients send empty strings and null for what they leave out. */
const absent = (value: unknown) => (value === "" || value === null ? undefined : value);
const optional = <Type extends z.ZodType>(type: Type) => z.preprocess(absent, type.optional());
/** Postgres stores no NUL, and indexes no text of more than some 2,600 bytes. */
const Label = z
  .string()
  .max(1024)
  .refine((text) => !text.includes("\0"), "must not hold NUL")
  .refine(
    (text) => text.length * 3 <= 2048 || utf8Length(text) <= 2048,
    "must have at most 2048 bytes",
  );

const utf8Length = (text: string) => new TextEncoder().encode(text).length;

export const EvaluateRequest = z.strictObject({
  payload: OpenObject.describe(
    "What to inspect: `{input}`, the request or answer of a provider, or an MCP message. `attachments` hold `data` (base64) or `url` each.",
  ),
  direction: optional(z.enum(DIRECTIONS)).describe(
    "Which rules run. Left out: `input`; output rules then never run.",
  ),
  protocol: optional(z.enum(PROTOCOLS)).describe("For conditions. Left out: `all`."),
  session_id: optional(Label).describe("Ties the two halves of a turn together."),
  consumer_id: optional(Label).describe("Who acts: chooses the policy, and is told in Activity."),
  attributes: optional(OpenObject).describe(
    "More for conditions: `consumer.{name,tag,type}`, `model.{name,provider}`, `collector.type`, `source.application`, `tool.{name,command,arguments}`. `approval_id` presents an approval.",
  ),
  gateway_id: optional(Label).describe("With a service token: the gateway of the collector."),
  collector_key: optional(Label).describe("With a service token: the collector by its name."),
});
export type EvaluateRequest = z.infer<typeof EvaluateRequest>;

export const Finding = z.object({
  source: z.object({
    kind: z.enum(["gate", "detector"]),
    plugin: z.string().optional().describe("Kind of the detector."),
    detector_id: Id.optional(),
    detector_name: z.string().optional(),
    gate_name: z.string().optional(),
    policy_id: Id,
    policy_version: z.int(),
  }),
  signal: z.object({
    type: z.string(),
    confidence: z.number().min(0).max(1),
  }),
  outcome: z.object({ action: z.enum(ACTIONS) }),
  evidence: z
    .record(z.string(), z.unknown())
    .describe("Kinds, counts and places; never the sensitive value."),
});
export type Finding = z.infer<typeof Finding>;

export const UNINSPECTED_REASONS = [
  "media",
  "binary",
  "encrypted",
  "unreadable",
  "truncated",
  "too_many",
  "over_budget",
  "not_opened",
] as const;

export const Uninspected = z.object({
  pointer: z.string().describe("JSON pointer into the payload."),
  reason: z
    .enum(UNINSPECTED_REASONS)
    .describe(
      "`media`: a picture, a sound or a film. `binary`: bytes of no known format. `encrypted`: sealed by the provider. `unreadable`: a document that cannot be read. `truncated`: only a part of it was read. `too_many`: one document too many. `over_budget`: reading it takes more than one evaluation may use. `not_opened`: no rule of the policy reads attachments.",
    ),
  detail: z.string().optional().describe("More about the reason."),
});
export type Uninspected = z.infer<typeof Uninspected>;

export const Detectors = z.object({
  run: z.int(),
  skipped: z.int().describe("Disabled, their condition not met, or a gate ended the evaluation."),
  failed: z.array(z.object({ detector_id: Id, detector_name: z.string(), error: z.string() })),
  uninspected: z
    .array(Uninspected)
    .describe("The first 50 parts of the payload that no detector could read."),
});

export const Verdict = z.object({
  status: z.enum(STATUSES),
  findings: z.array(Finding),
  transformed_payload: z.record(z.string(), z.unknown()).nullable(),
  policy: z
    .object({ id: Id, version: z.int(), mode: z.enum(["observe", "enforce"]) })
    .nullable()
    .describe("null: no policy applies, so nothing looked at this."),
  detectors: Detectors,
  latency_ms: z.number(),
  trace_id: z.string(),
  request_id: z.string(),
});
export type Verdict = z.infer<typeof Verdict>;

export const evaluate = endpoint({
  name: "evaluate",
  method: "POST",
  path: "/v1/evaluate",
  plane: "guard",
  auth: "collector",
  summary: "Judge a payload by the policy of the collector; any verdict is a 200",
  body: EvaluateRequest,
  reply: Verdict,
  writes: false,
});

/** What clients of an older generation call: the same verdict, with flat members in each finding. */
export const guard = endpoint({
  name: "guard",
  method: "POST",
  path: "/v1/guard",
  plane: "guard",
  auth: "collector",
  summary:
    "The older name of evaluate: findings carry flat members too, and allow is the empty text",
  body: EvaluateRequest,
  reply: Verdict.extend({ status: z.enum(["", ...STATUSES]) }),
  writes: false,
});

export const MAX_IN_BATCH = 100;

export const evaluateBatch = endpoint({
  name: "evaluate_batch",
  method: "POST",
  path: "/v1/evaluate/batch",
  plane: "guard",
  auth: "collector",
  summary: "Judge many payloads in one call; the verdicts come in the same order",
  body: z.array(EvaluateRequest).min(1).max(MAX_IN_BATCH),
  reply: z.array(Verdict),
  writes: false,
});

export const testPolicy = endpoint({
  name: "test_policy",
  method: "POST",
  path: "/v1/policies/:policy_id/test",
  auth: "write",
  summary: "Try the last saved version of a policy on a sample; it leaves no event",
  body: EvaluateRequest.omit({ gateway_id: true, collector_key: true }),
  reply: Verdict,
  writes: false,
});
