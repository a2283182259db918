/** Wire shapes of replay: evaluates recorded events with a draft policy. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { Id, Time } from "../shapes.ts";
import { STATUSES } from "./actions.ts";
import { DIRECTIONS } from "./evaluate.ts";
import { PolicyInput } from "./policies.ts";

const ReplayStatus = z.enum([...STATUSES, "error"]);

const SKIP_REASONS = [
  "not_stored",
  "masked",
  "truncated",
  "no_verdict",
  "not_reproducible",
] as const;

export const ReplayRequest = z.strictObject({
  draft: PolicyInput.nullable().default(null).describe("Policy to test. null: the saved policy."),
  from: Time.optional().describe("Start of the range, inclusive."),
  to: Time.optional().describe("End of the range, exclusive."),
  collector_id: Id.optional(),
  limit: z.int().min(1).max(1000).default(200).describe("Maximum number of events, newest first."),
});

export const ReplayReport = z.object({
  evaluated: z.int().describe("Number of events that were evaluated."),
  skipped: z.int().describe("Number of events that cannot be evaluated again."),
  skips: z.array(
    z.object({
      event_id: Id,
      time: Time,
      direction: z.enum(DIRECTIONS),
      before: ReplayStatus,
      reason: z
        .enum(SKIP_REASONS)
        .describe(
          "`not_stored`: the collector stores no content. `masked`: parts of the text were masked before it was stored. `truncated`: the text was too long to be stored completely. `no_verdict`: a detector failed. `not_reproducible`: the policy version that was applied gives another verdict for the stored content, such as after an approval, or because a detector called another server.",
        ),
    }),
  ),
  changes: z.array(
    z.object({
      event_id: Id,
      time: Time,
      direction: z.enum(DIRECTIONS),
      before: ReplayStatus,
      after: ReplayStatus,
    }),
  ),
  transitions: z
    .record(z.string(), z.int())
    .describe("Number of events per transition, such as `allow→block`."),
});
export type ReplayReport = z.infer<typeof ReplayReport>;

export const replayPolicy = endpoint({
  name: "replay_policy",
  method: "POST",
  path: "/v1/policies/:policy_id/replay",
  auth: "audit",
  reads_evaluations: true,
  summary:
    "Evaluate recorded events with a draft and report the differences; events that cannot be evaluated again are listed",
  body: ReplayRequest,
  reply: ReplayReport,
  writes: false,
});
