/** Wire shapes of replay: what would a draft have decided about what was recorded? */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { DIRECTIONS, STATUSES } from "./evaluate.ts";
import { PolicyInput } from "./policies.ts";
import { Id, Time } from "./shapes.ts";

const Decided = z.enum([...STATUSES, "error"]);

export const ReplayRequest = z.strictObject({
  draft: PolicyInput.nullable().default(null).describe("null: the policy as it is saved."),
  from: Time.optional().describe("From this time on."),
  to: Time.optional().describe("Before this time."),
  collector_id: Id.optional(),
  limit: z.int().min(1).max(1000).default(200).describe("How many events, the newest first."),
});

export const ReplayReport = z.object({
  evaluated: z.int(),
  skipped: z.int().describe("Events whose texts were not kept."),
  changes: z.array(
    z.object({
      event_id: Id,
      time: Time,
      direction: z.enum(DIRECTIONS),
      before: Decided,
      after: Decided,
    }),
  ),
  transitions: z.record(z.string(), z.int()).describe("`allow→block` and the like, counted."),
});
export type ReplayReport = z.infer<typeof ReplayReport>;

export const replayPolicy = endpoint({
  name: "replay_policy",
  method: "POST",
  path: "/v1/policies/:policy_id/replay",
  auth: "audit",
  summary:
    "Judge recorded events again by a draft, and report what would change; masked texts are judged masked",
  body: ReplayRequest,
  reply: ReplayReport,
  writes: false,
});
