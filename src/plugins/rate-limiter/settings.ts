/** The settings of the rate limiter, as a gateway's configuration holds them (spec 2, plugin entry). */
import { z } from "zod";
import { DURATION, parseDuration } from "../../lib/time/duration.ts";

const MAX_WINDOW_S = 366 * 86_400;

const Duration = z
  .string()
  .regex(DURATION, "must be a duration such as 30s, 1m, 2h, 1d or 1h30m")
  .refine((text) => (parseDuration(text) ?? 1) > 0, "must be longer than nothing")
  .refine((text) => (parseDuration(text) ?? 0) <= MAX_WINDOW_S, "must be at most 366d");

const Limit = z.strictObject({
  limit: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .describe("Requests of one subject that any stretch of time as long as the window may hold."),
  window: Duration.describe("A duration such as `30s`, `1m`, `2h`, `1d` or `1h30m`."),
});

export const RateLimiterSettings = z.strictObject({
  limits: z
    .strictObject({
      per_fingerprint: Limit.optional().describe(
        "Of one client: consumer key, address, user agent, user id and session id together.",
      ),
      per_ip: Limit.optional().describe("Of one address; of one /64 with IPv6."),
      per_user: Limit.optional().describe("Of one user id, as the user headers name it."),
      global: Limit.optional().describe("Of all traffic of the gateway."),
    })
    .refine((limits) => Object.keys(limits).length > 0, "must hold at least one limit"),
  actions: z
    .strictObject({
      type: z
        .enum(["reject", "block"])
        .describe("`block` also refuses the subject from then on, until it is lifted."),
      retry_after: z
        .string()
        .regex(/^[1-9]\d{0,7}$/, "must be a number of seconds, as a string")
        .optional()
        .describe("What a refused client is told to wait. Left out: until a slot frees."),
      block_for: Duration.optional().describe("How long a block lasts. Left out: until lifted."),
    })
    .refine(({ type, block_for }) => type === "block" || block_for === undefined, {
      path: ["block_for"],
      message: "goes with the type block only",
    }),
  on_store_error: z
    .enum(["local", "open", "closed"])
    .default("local")
    .describe(
      "While Redis is away: `local` counts on each node, `open` lets pass, `closed` answers 503.",
    ),
});
export type RateLimiterSettings = z.infer<typeof RateLimiterSettings>;
