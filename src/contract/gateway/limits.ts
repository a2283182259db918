/** Wire shapes of rate limits: usage by subject, and blocked subjects. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { PageQuery, page, Text, Time } from "../shapes.ts";

/** In order of precedence if several limits are exceeded. */
export const LIMIT_TYPES = ["per_fingerprint", "per_ip", "per_user", "global"] as const;
export const LimitType = z.enum(LIMIT_TYPES);
export type LimitType = z.infer<typeof LimitType>;

const Subject = z.string().describe("IP address, user id, short id of a fingerprint, or `global`.");

export const LimitState = z.object({
  type: LimitType,
  subject: Subject,
  window: z.string().describe("Length of the window, such as `1m`."),
  limit: z.int().describe("Requests allowed per window."),
  used: z.int().describe("Requests within the window that ends now."),
  remaining: z.int(),
  reset_at: Time.nullable().describe(
    "Time at which the next request is allowed; null if none is used.",
  ),
});
export type LimitState = z.infer<typeof LimitState>;

export const listLimitState = endpoint({
  name: "list_limit_state",
  method: "GET",
  path: "/v1/gateways/:gateway_id/limits/state",
  auth: "read",
  summary: "List the subjects with the highest usage of a rate limit",
  query: z.strictObject({
    type: LimitType.optional(),
    search: Text.max(200).optional().describe("Text to find in subjects."),
    limit: z.coerce.number().int().min(1).max(200).default(50),
  }),
  reply: z.object({
    store: z
      .enum(["memory", "redis", "local"])
      .describe(
        "Source of the counts: `redis` has the counts of all nodes, `memory` those of this process. `local` is memory while Redis is unavailable.",
      ),
    complete: z.boolean().describe("false: there are more subjects than were read."),
    note: z.string().nullable().describe("Explanation of the counts."),
    items: z.array(LimitState),
  }),
});

export const resetLimitState = endpoint({
  name: "reset_limit_state",
  method: "DELETE",
  path: "/v1/gateways/:gateway_id/limits/state/:type/:subject",
  auth: "write",
  summary: "Reset the usage of a subject",
});

export const Block = z.object({
  type: LimitType,
  subject: Subject,
  ends_at: Time.nullable().describe("null: until it is lifted."),
  created_at: Time,
});
export type Block = z.infer<typeof Block>;

export const listBlocks = endpoint({
  name: "list_limit_blocks",
  method: "GET",
  path: "/v1/gateways/:gateway_id/limits/blocks",
  auth: "read",
  summary: "List blocked subjects, newest first",
  query: PageQuery.omit({ sort: true }),
  reply: page(Block),
});

export const liftBlock = endpoint({
  name: "lift_limit_block",
  method: "DELETE",
  path: "/v1/gateways/:gateway_id/limits/blocks/:type/:subject",
  auth: "write",
  summary: "Unblock a subject",
});
