/** Wire shapes of evaluation: the request, the verdict and its findings. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { Id } from "../shapes.ts";
import { ACTIONS, STATUSES } from "./actions.ts";

export const DIRECTIONS = ["input", "output"] as const;
export type Direction = (typeof DIRECTIONS)[number];
export const PROTOCOLS = ["all", "llm", "mcp", "a2a"] as const;
export type Protocol = (typeof PROTOCOLS)[number];

/**
 * Accepts any object without copying it. z.looseObject would drop a member called `__proto__`, which
 * would then not be inspected.
 */
export const OpenObject = (z.unknown() as z.ZodType<Record<string, unknown>>)
  .refine(
    (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    "expected object",
  )
  .meta({ type: "object" });

/** Some clients send an empty string or null for members without a value. */
const toAbsent = (value: unknown) => (value === "" || value === null ? undefined : value);
const optional = <Type extends z.ZodType>(type: Type) => z.preprocess(toAbsent, type.optional());
/** Postgres cannot store NUL, nor index more than about 2,600 bytes. */
const Label = z
  .string()
  .max(1024)
  .refine((text) => !text.includes("\0"), "must not contain NUL")
  .refine(
    (text) => text.length * 3 <= 2048 || utf8Length(text) <= 2048,
    "must have at most 2048 bytes",
  );

const utf8Length = (text: string) => new TextEncoder().encode(text).length;

export const EvaluateRequest = z.strictObject({
  payload: OpenObject.describe(
    "Content to inspect: `{input}`, a request or response of a provider, or an MCP message. Each of the `attachments` has `data` (base64) or `url`.",
  ),
  direction: optional(z.enum(DIRECTIONS)).describe(
    "Selects the rules that run. Left out: `input`.",
  ),
  protocol: optional(z.enum(PROTOCOLS)).describe("Protocol, for conditions. Left out: `all`."),
  session_id: optional(Label).describe("Connects the input and the output of a conversation."),
  consumer_id: optional(Label).describe(
    "User or program that acts. Selects the policy, and is recorded in Activity.",
  ),
  attributes: optional(OpenObject).describe(
    "Further attributes for conditions: `consumer.{name,tag,type}`, `model.{name,provider}`, `collector.type`, `source.application`, `tool.{name,command,arguments}`. `approval_id` presents an approval.",
  ),
  gateway_id: optional(Label).describe("Gateway of the collector. Only with a service token."),
  collector_key: optional(Label).describe(
    "`collector_key` of the collector. Only with a service token.",
  ),
});
export type EvaluateRequest = z.infer<typeof EvaluateRequest>;

export const Finding = z.object({
  source: z.object({
    kind: z.enum(["gate", "detector"]),
    plugin: z.string().optional().describe("Kind of the detector."),
    detector_id: Id.optional(),
    detector_name: z.string().optional(),
    gate_name: z.string().optional().describe("Name of the gate."),
    policy_id: Id,
    policy_version: z.int(),
  }),
  signal: z.object({
    type: z.string().describe("Kind of match, such as `credit_card`, or `gate_block` for a gate."),
    confidence: z.number().min(0).max(1).describe("From 0 to 1."),
  }),
  outcome: z.object({ action: z.enum(ACTIONS) }),
  evidence: z
    .record(z.string(), z.unknown())
    .describe(
      "Kinds, counts and locations of matches; never the matched value. `passage_sha256`: SHA-256 of the paragraph around a match of a learned detector; its first 12 digits are the reference in a withheld text, and an exception allows it.",
    ),
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
      "`media`: image, audio, video or font. `binary`: unknown format. `encrypted`: only the provider can read it, such as encrypted reasoning or a long signature. `unreadable`: the document could not be parsed. `truncated`: only a part was read, or only a part of a page without its tags. `too_many`: the evaluation has too many documents. `over_budget`: reading it exceeds the budget of an evaluation. `not_opened`: no rule of the policy reads attachments, or one for personal data, secrets or words does not.",
    ),
  detail: z.string().optional().describe("Details of the reason."),
});
export type Uninspected = z.infer<typeof Uninspected>;

export const Detectors = z.object({
  run: z.int().describe("Number of detectors that ran."),
  skipped: z
    .int()
    .describe(
      "Number of detectors that did not run: disabled, condition not met, or a gate ended the evaluation.",
    ),
  failed: z.array(z.object({ detector_id: Id, detector_name: z.string(), error: z.string() })),
  uninspected: z
    .array(Uninspected)
    .describe("The first 50 parts of the payload that no detector could read."),
});

export const Verdict = z.object({
  status: z
    .enum(STATUSES)
    .describe(
      "`block`: reject. `ask`: a person must approve. `transform`: use `transformed_payload`. `report`: allowed, with findings. `allow`: no findings.",
    ),
  findings: z.array(Finding),
  transformed_payload: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("The payload with matches masked or withheld, if the status is `transform`."),
  policy: z
    .object({ id: Id, version: z.int(), mode: z.enum(["observe", "enforce"]) })
    .nullable()
    .describe("null: no policy applies, so nothing was inspected."),
  detectors: Detectors,
  latency_ms: z.number().describe("Duration of the evaluation in milliseconds."),
  trace_id: z.string().describe("Trace id (W3C Trace Context)."),
  request_id: z.string().describe("Id of the event in Activity."),
});
export type Verdict = z.infer<typeof Verdict>;

export const evaluate = endpoint({
  name: "evaluate",
  method: "POST",
  path: "/v1/evaluate",
  plane: "guard",
  auth: "collector",
  summary: "Evaluate a payload with the policy of the collector; every verdict returns 200",
  body: EvaluateRequest,
  reply: Verdict,
  writes: false,
});

/** For older clients: the same verdict, with flat members in each finding. */
export const guard = endpoint({
  name: "guard",
  method: "POST",
  path: "/v1/guard",
  plane: "guard",
  auth: "collector",
  summary:
    "Older form of evaluate: findings also have flat members, and `allow` is an empty string",
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
  summary: "Evaluate several payloads; the verdicts are in the same order",
  body: z.array(EvaluateRequest).min(1).max(MAX_IN_BATCH),
  reply: z.array(Verdict),
  writes: false,
});
