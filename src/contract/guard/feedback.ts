/** Wire shapes of feedback: marks of findings, the exemptions they create, and the export for retraining. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { Id, PageQuery, page, Time } from "../shapes.ts";
import { ActivityFilters, MARKS, Mark, StoredText } from "./activity.ts";
import { CONTENT_STORAGE } from "./collectors.ts";
import { DIRECTIONS } from "./evaluate.ts";

export const setFeedback = endpoint({
  name: "set_feedback",
  method: "PUT",
  path: "/v1/activity/:event_id/feedback",
  auth: "write",
  reads_evaluations: true,
  summary:
    "Mark a finding or the verdict of an evaluation; the policy no longer reports matches of an incorrect finding",
  body: z.strictObject({
    finding: Mark.shape.finding.default(null),
    mark: z.enum(MARKS).nullable().describe("null: removes the mark."),
  }),
  reply: z.object({
    feedback: z.array(Mark),
    exemptions: z.int().describe("Matches of the finding that the policy no longer reports."),
  }),
});

export const Exemption = z.object({
  id: Id,
  policy_id: Id,
  detector_id: Id,
  label: z.string().describe("Kind of the match."),
  event_id: Id.describe("Event whose finding was marked incorrect."),
  actor: z.string(),
  created_at: Time,
});
export type Exemption = z.infer<typeof Exemption>;

const exemptions = "/v1/policies/:policy_id/exemptions";

export const listExemptions = endpoint({
  name: "list_exemptions",
  method: "GET",
  path: exemptions,
  auth: "read",
  summary:
    "List the texts that a policy does not report, newest first; only keyed hashes are stored",
  query: PageQuery.omit({ q: true, sort: true }),
  reply: page(Exemption),
});

export const removeExemption = endpoint({
  name: "remove_exemption",
  method: "DELETE",
  path: `${exemptions}/:exemption_id`,
  auth: "write",
  summary: "Report a text again",
});

/** One line of the export. */
export const LabeledText = z.object({
  event_id: Id,
  time: Time,
  collector_id: Id,
  direction: z.enum(DIRECTIONS),
  label: z
    .enum(["positive", "negative"])
    .describe("`positive`: the text should be reported. `negative`: it should not."),
  mark: z.enum(MARKS),
  actor: z.string(),
  marked_at: Time,
  detector_id: Id.nullable().describe("null: a gate, or the verdict."),
  detector_kind: z.string().nullable(),
  type: z.string().nullable().describe("The signal of the finding. null: the verdict."),
  score: z.number().nullable().describe("The confidence of the finding. null: the verdict."),
  places: z
    .array(z.record(z.string(), z.unknown()))
    .describe("Matches of the finding. Offsets fit texts that are stored in full."),
  content_storage: z.enum(CONTENT_STORAGE),
  texts: z
    .array(StoredText)
    .nullable()
    .describe("Texts with a match, or all. null: not stored, or the role lacks `audit`."),
});
export type LabeledText = z.infer<typeof LabeledText>;

export const exportFeedback = endpoint({
  name: "export_feedback",
  method: "GET",
  path: "/v1/feedback/export",
  auth: "read",
  summary: "Export marked findings as JSON Lines, oldest first, to retrain a detector",
  query: ActivityFilters.omit({ q: true }),
  reply: z.string(),
});
