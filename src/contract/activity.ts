/** Wire shapes of Activity: an event for every evaluation (spec 6), to find, count, export and erase. */
import { z } from "zod";
import { CONTENT_STORAGE } from "./collectors.ts";
import { endpoint } from "./endpoint.ts";
import { Detectors, DIRECTIONS, Finding, PROTOCOLS, STATUSES } from "./evaluate.ts";
import { MODES } from "./policies.ts";
import { Id, PageQuery, page, Text, Time } from "./shapes.ts";

export const EvaluationEvent = z.object({
  id: Id.describe("The request_id of the evaluation."),
  time: Time,
  trace_id: z.string(),
  collector_id: Id,
  collector_name: z.string(),
  gateway_id: Id.nullable(),
  policy_id: Id.nullable().describe("null: no policy applied."),
  policy_name: z.string().nullable(),
  policy_version: z.int().nullable(),
  policy_mode: z.enum(MODES).nullable(),
  consumer_id: z.string().nullable(),
  session_id: z.string().nullable(),
  direction: z.enum(DIRECTIONS),
  protocol: z.enum(PROTOCOLS),
  application: z.string().nullable().describe("`source.application` of the attributes."),
  model: z.string().nullable(),
  tool: z.string().nullable(),
  status: z
    .enum([...STATUSES, "error"])
    .describe("`error`: a detector failed; no verdict was given."),
  findings: z.array(Finding),
  detectors: Detectors.partial({ uninspected: true }),
  attributes: z.record(z.string(), z.string()).describe("Those that conditions can name."),
  client_address: z.string(),
  user_agent: z.string().nullable(),
  latency_ms: z.number(),
  content_storage: z.enum(CONTENT_STORAGE).describe("How much of the texts was kept."),
});
export type EvaluationEvent = z.infer<typeof EvaluationEvent>;

/** What was looked at, as far as the collector keeps it. */
export const StoredText = z.object({
  pointer: z.string(),
  inner: z.string().nullable(),
  source: z
    .string()
    .describe(
      "Who wrote it, or what else it is: `called_tool` and `offered_tool` are names; `tool_number`, `value` and `attribute` are kept of what waits for an approval.",
    ),
  role: z.string().nullable(),
  text: z.string(),
});
export type StoredText = z.infer<typeof StoredText>;

const Filters = {
  from: Time.optional().describe("From this time on."),
  to: Time.optional().describe("Before this time."),
  status: z.enum([...STATUSES, "error"]).optional(),
  direction: z.enum(DIRECTIONS).optional(),
  protocol: z.enum(PROTOCOLS).optional(),
  consumer_id: z.string().max(1024).optional(),
  session_id: z.string().max(1024).optional(),
  application: Text.optional().describe("`source.application`."),
  collector_id: Id.optional(),
  policy_id: Id.optional(),
  detector: Text.optional().describe("Id of a detector, or name of a gate, that fired."),
  trace_id: Text.optional(),
  request_id: Id.optional(),
  q: Text.max(200)
    .optional()
    .describe("Text to look for in stored content, by who may read it: permission `audit`."),
};
export const ActivityFilters = z.strictObject(Filters);
export type ActivityFilters = z.infer<typeof ActivityFilters>;

export const listActivity = endpoint({
  name: "list_activity",
  method: "GET",
  path: "/v1/activity",
  auth: "read",
  summary: "List evaluations, newest first; a search through texts may take several pages",
  query: PageQuery.omit({ sort: true }).extend(Filters),
  reply: page(EvaluationEvent),
});

export const countActivity = endpoint({
  name: "count_activity",
  method: "GET",
  path: "/v1/activity/counts",
  auth: "read",
  summary: "Count evaluations by status; of the last 24 hours when `from` is left out",
  query: z.strictObject(Filters).omit({ q: true }),
  reply: z.object({ from: Time, total: z.int(), by_status: z.record(z.string(), z.int()) }),
});

export const getActivity = endpoint({
  name: "get_activity",
  method: "GET",
  path: "/v1/activity/:event_id",
  auth: "audit",
  summary: "Read an evaluation with the texts that were kept of it",
  reply: EvaluationEvent.extend({ content: z.array(StoredText).nullable() }),
});

export const exportActivity = endpoint({
  name: "export_activity",
  method: "GET",
  path: "/v1/activity/export",
  auth: "audit",
  summary: "Stream evaluations as JSON lines or CSV, oldest first",
  query: z.strictObject({ ...Filters, format: z.enum(["jsonl", "csv"]).default("jsonl") }),
  reply: z.string(),
});

export const eraseActivity = endpoint({
  name: "erase_activity",
  method: "POST",
  path: "/v1/activity/erase",
  auth: "own",
  summary: "Delete everything kept about a consumer_id: events, texts, approvals",
  body: z.strictObject({ consumer_id: z.string().min(1).max(1024) }),
  reply: z.object({ erased: z.int() }),
  writes: false,
});
