/** Wire shapes of Activity: one event per evaluation; to list, count, export and erase. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { Id, PageQuery, page, Text, Time } from "../shapes.ts";
import { STATUSES } from "./actions.ts";
import { CONTENT_STORAGE } from "./collectors.ts";
import { Detectors, DIRECTIONS, Finding, PROTOCOLS } from "./evaluate.ts";
import { MODES } from "./policies.ts";

export const EvaluationEvent = z.object({
  id: Id.describe("The `request_id` of the evaluation."),
  time: Time,
  trace_id: z.string().describe("Trace id (W3C Trace Context)."),
  collector_id: Id,
  collector_name: z.string(),
  gateway_id: Id.nullable().describe(
    "Gateway that the content passed through, or the gateway of the collector.",
  ),
  policy_id: Id.nullable().describe("null: no policy applied."),
  policy_name: z.string().nullable(),
  policy_version: z.int().nullable().describe("Version of the policy that was applied."),
  policy_mode: z.enum(MODES).nullable(),
  consumer_id: z.string().nullable().describe("User or program that acted."),
  session_id: z.string().nullable(),
  direction: z.enum(DIRECTIONS),
  protocol: z.enum(PROTOCOLS),
  application: z.string().nullable().describe("The attribute `source.application`."),
  model: z.string().nullable().describe("Name of the model."),
  tool: z.string().nullable().describe("Name of the called tool."),
  status: z
    .enum([...STATUSES, "error"])
    .describe("`error`: a detector failed, so there is no verdict."),
  findings: z.array(Finding),
  detectors: Detectors.partial({ uninspected: true }),
  attributes: z.record(z.string(), z.string()).describe("Attributes that conditions can test."),
  client_address: z.string().describe("IP address of the caller."),
  user_agent: z.string().nullable(),
  latency_ms: z.number().describe("Duration of the evaluation in milliseconds."),
  content_storage: z.enum(CONTENT_STORAGE).describe("How the inspected text was stored."),
});
export type EvaluationEvent = z.infer<typeof EvaluationEvent>;

export const MARKS = ["correct", "incorrect"] as const;

export const Mark = z.object({
  finding: z
    .int()
    .min(0)
    .nullable()
    .describe("Position in `findings`, from 0. null: the verdict, such as for a missed attack."),
  mark: z.enum(MARKS),
  actor: z.string(),
  at: Time,
});
export type Mark = z.infer<typeof Mark>;

/** An event as administrators read it. */
export const ActivityEvent = EvaluationEvent.extend({
  feedback: z.array(Mark).describe("Marks of its findings and of its verdict."),
});
export type ActivityEvent = z.infer<typeof ActivityEvent>;

/** Inspected text, as far as the collector stores it. */
export const StoredText = z.object({
  pointer: z.string().describe("JSON pointer into the payload."),
  inner: z.string().nullable().describe("JSON pointer into a string that contains JSON."),
  source: z
    .string()
    .describe(
      "Author or role of the text. `called_tool` and `offered_tool` are tool names; `tool_number`, `value` and `attribute` are stored only for pending approvals.",
    ),
  role: z.string().nullable(),
  text: z.string(),
  masked: z
    .literal(true)
    .optional()
    .describe("Parts of the text were masked before it was stored."),
  is_file: z.literal(true).optional().describe("The text is that of a file."),
});
export type StoredText = z.infer<typeof StoredText>;

const Filters = {
  from: Time.optional().describe("Start of the range, inclusive."),
  to: Time.optional().describe("End of the range, exclusive."),
  status: z.enum([...STATUSES, "error"]).optional(),
  direction: z.enum(DIRECTIONS).optional(),
  protocol: z.enum(PROTOCOLS).optional(),
  consumer_id: z.string().max(1024).optional(),
  session_id: z.string().max(1024).optional(),
  application: Text.optional().describe("The attribute `source.application`."),
  collector_id: Id.optional(),
  policy_id: Id.optional(),
  detector: Text.optional().describe("Id of a detector, or name of a gate, with a finding."),
  finding_type: Text.optional().describe("`signal.type` of a finding, such as `pii`."),
  reference: z
    .string()
    .regex(/^[\da-f]{12,64}$/, "must be 12 to 64 lower-case hex digits")
    .optional()
    .describe("Start of the `passage_sha256` of a finding, such as the reference in a notice."),
  feedback: z
    .enum([...MARKS, "any"])
    .optional()
    .describe("Events with such a mark."),
  trace_id: Text.optional(),
  request_id: Id.optional(),
  q: Text.max(200)
    .optional()
    .describe("Text to find in stored content. Requires the permission `audit`."),
};
export const ActivityFilters = z.strictObject(Filters);
export type ActivityFilters = z.infer<typeof ActivityFilters>;

export const listActivity = endpoint({
  name: "list_activity",
  method: "GET",
  path: "/v1/activity",
  auth: "read",
  reads_evaluations: true,
  summary:
    "List evaluations, newest first; a search in stored text or by `finding_type` or `reference` may return short pages",
  query: PageQuery.omit({ sort: true }).extend(Filters),
  reply: page(ActivityEvent),
});

export const countActivity = endpoint({
  name: "count_activity",
  method: "GET",
  path: "/v1/activity/counts",
  auth: "read",
  reads_evaluations: true,
  summary: "Count evaluations by status; the last 24 hours unless `from` is set",
  query: z.strictObject(Filters).omit({ q: true }),
  reply: z.object({ from: Time, total: z.int(), by_status: z.record(z.string(), z.int()) }),
});

export const getActivity = endpoint({
  name: "get_activity",
  method: "GET",
  path: "/v1/activity/:event_id",
  auth: "audit",
  reads_evaluations: true,
  summary: "Get an evaluation with its stored text",
  reply: ActivityEvent.extend({ content: z.array(StoredText).nullable() }),
});

export const exportActivity = endpoint({
  name: "export_activity",
  method: "GET",
  path: "/v1/activity/export",
  auth: "audit",
  summary: "Export evaluations as JSON Lines or CSV, oldest first",
  query: z.strictObject({ ...Filters, format: z.enum(["jsonl", "csv"]).default("jsonl") }),
  reply: z.string(),
});

export const eraseActivity = endpoint({
  name: "erase_activity",
  method: "POST",
  path: "/v1/activity/erase",
  auth: "own",
  reads_evaluations: true,
  summary: "Delete all events, stored text and approvals of a `consumer_id`",
  body: z.strictObject({ consumer_id: z.string().min(1).max(1024) }),
  reply: z.object({ erased: z.int() }),
  writes: false,
});
