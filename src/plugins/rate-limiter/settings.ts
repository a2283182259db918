/** Schema of the settings of the rate limiter in the configuration of a gateway (spec 2, plugin entry). */
import { z } from "zod";
import { DURATION, parseDuration } from "../../lib/time/duration.ts";

const MAX_WINDOW_S = 366 * 86_400;

const Duration = z
  .string()
  .regex(DURATION, "must be a duration such as 30s, 1m, 2h, 1d or 1h30m")
  .refine((text) => (parseDuration(text) ?? 1) > 0, "must be greater than zero")
  .refine((text) => (parseDuration(text) ?? 0) <= MAX_WINDOW_S, "must be at most 366d");

const Limit = z.strictObject({
  limit: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .describe(
      "Maximum number of requests of one subject within any interval as long as the window.",
    ),
  window: Duration.describe("A duration such as `30s`, `1m`, `2h`, `1d` or `1h30m`."),
});

export const RateLimiterSettings = z.strictObject({
  limits: z
    .strictObject({
      per_fingerprint: Limit.optional().describe(
        "Per client: the combination of consumer key, address, user agent, user id and session id.",
      ),
      per_ip: Limit.optional().describe("Per address; per /64 network with IPv6."),
      per_user: Limit.optional().describe("Per user id, read from the user headers."),
      global: Limit.optional().describe("For all traffic of the gateway."),
    })
    .refine((limits) => Object.keys(limits).length > 0, "must have at least one limit"),
  actions: z
    .strictObject({
      type: z
        .enum(["reject", "block"])
        .describe(
          "`block` also rejects further requests of the subject until the block is lifted or expires.",
        ),
      retry_after: z
        .string()
        .regex(/^[1-9]\d{0,7}$/, 'must be a number of seconds, as a string such as "30"')
        .optional()
        .describe(
          "Retry-After of rejected requests, in seconds. Default: until a slot becomes available.",
        ),
      block_for: Duration.optional().describe("Duration of a block. Default: until it is lifted."),
    })
    .refine(({ type, block_for }) => type === "block" || block_for === undefined, {
      path: ["block_for"],
      message: "is allowed only with type block",
    }),
  on_store_error: z
    .enum(["local", "open", "closed"])
    .default("local")
    .describe(
      "While Redis is unavailable: `local` counts on each node, `open` admits every request, `closed` rejects with 503.",
    ),
});
export type RateLimiterSettings = z.infer<typeof RateLimiterSettings>;
