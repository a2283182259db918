/** Wire shapes of replay: evaluates recorded events with a draft policy. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { Id, Time } from "../shapes.ts";
import { DIRECTIONS, STATUSES } from "./evaluate.ts";
import { PolicyInput } from "./policies.ts";

const ReplayStatus = z.enum([...STATUSES, "error"]);

export const ReplayRequest = z.strictObject({
  draft: PolicyInput.nullable().default(null).describe("Policy to test. null: the saved policy."),
  from: Time.optional().describe("Start of the range, inclusive."),
  to: Time.optional().describe("End of the range, exclusive."),
  collector_id: Id.optional(),
  limit: z.int().min(1).max(1000).default(200).describe("Maximum number of events, newest first."),
});

export const ReplayReport = z.object({
  evaluated: z.int().describe("Number of events that were evaluated."),
  skipped: z.int().describe("Events without stored text."),
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
  summary:
    "Evaluate recorded events with a draft and report the differences; masked text stays masked",
  body: ReplayRequest,
  reply: ReplayReport,
  writes: false,
});
