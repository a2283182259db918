/** Wire shapes of rate limits: what subjects have used, and which are blocked (spec 8). */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { PageQuery, page, Text, Time } from "./shapes.ts";

/** In the order in which an exceeded one is named. */
export const LIMIT_TYPES = ["per_fingerprint", "per_ip", "per_user", "global"] as const;
export const LimitType = z.enum(LIMIT_TYPES);
export type LimitType = z.infer<typeof LimitType>;

const Subject = z
  .string()
  .describe("An address, a user id, the short id of a fingerprint, or `global`.");

export const LimitState = z.object({
  type: LimitType,
  subject: Subject,
  window: z.string(),
  limit: z.int(),
  used: z.int().describe("Requests inside the window that ends now."),
  remaining: z.int(),
  reset_at: Time.nullable().describe("When the next slot frees; null when none is used."),
});
export type LimitState = z.infer<typeof LimitState>;

export const listLimitState = endpoint({
  name: "list_limit_state",
  method: "GET",
  path: "/v1/gateways/:gateway_id/limits/state",
  auth: "read",
  summary: "List the subjects that used most of their rate limit",
  query: z.strictObject({
    type: LimitType.optional(),
    search: Text.max(200).optional().describe("Text to look for in subjects."),
    limit: z.coerce.number().int().min(1).max(200).default(50),
  }),
  reply: z.object({
    store: z
      .enum(["memory", "redis", "local"])
      .describe(
        "Where the counts were read: `redis` holds those of all nodes, `memory` those of this process; `local` is memory while Redis is away.",
      ),
    complete: z.boolean().describe("False when there were more subjects than are looked through."),
    note: z.string().nullable().describe("What to know about these counts, in words."),
    items: z.array(LimitState),
  }),
});

export const resetLimitState = endpoint({
  name: "reset_limit_state",
  method: "DELETE",
  path: "/v1/gateways/:gateway_id/limits/state/:type/:subject",
  auth: "write",
  summary: "Forget what a subject has used of a rate limit",
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
  summary: "List the subjects that a rate limit has blocked, newest first",
  query: PageQuery.omit({ sort: true }),
  reply: page(Block),
});

export const liftBlock = endpoint({
  name: "lift_limit_block",
  method: "DELETE",
  path: "/v1/gateways/:gateway_id/limits/blocks/:type/:subject",
  auth: "write",
  summary: "Lift the block of a subject",
});
