/** Limits how many requests a subject may make in a window; see docs/guides/rate-limits.md (spec 8). */
import { decode } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import { LIMIT_TYPES, type LimitType } from "../contract/limits.ts";
import { durationSeconds } from "../lib/duration.ts";
import { count } from "../lib/metrics.ts";
import { plugin, type Refusal } from "./plugin.ts";
import { type Ask, type Count, spaceName } from "./rate-limiter/counter.ts";
import type { Settled } from "./rate-limiter/counter-store.ts";
import { RateLimiterSettings } from "./rate-limiter/settings.ts";
import { SUBJECT } from "./rate-limiter/subjects.ts";

export const rateLimiter = plugin({
  name: "rate_limiter",
  summary: "Limits requests per fingerprint, per address, per user and in all.",
  stages: ["pre_request"],
  settings: RateLimiterSettings,
  preRequest(settings, gateway_id) {
    const limits = limitsOf(settings, gateway_id);
    const { actions, on_store_error } = settings;
    const blockMs = actions.block_for === undefined ? Infinity : seconds(actions.block_for) * 1000;

    return ({ limiter, now }, request) => {
      const { store, blocks, tally } = limiter;
      const nowMs = now().getTime();
      let blocked = false;
      const asks = limits.map((of): LimitAsk => {
        const { type, space, limit, window_s } = of;
        const subject = SUBJECT[type](request, limiter.fingerprint);
        const blocked_until = blocks.endOf(gateway_id, type, subject, nowMs);
        blocked ||= blocked_until !== undefined;
        return { space, subject, limit, window_s, of, blocked_until };
      });
      const judge = (settled: Settled): Refusal => {
        const states = asks.map((ask, at) => stateOf(ask, settled, at, nowMs));
        tellLimits(request.reply_headers, states, settled);
        count(tally.checks, settled.store);
        const named = states.find(({ refuses }) => refuses);
        if (!named) return undefined;
        const { subject, blocked_until, of } = named.ask;
        count(tally.refused, of.type);
        if (actions.type === "block" && of.type !== "global" && blocked_until === undefined) {
          blocks.add({ gateway_id, type: of.type, subject }, blockMs);
        }
        const retry_after = actions.retry_after ?? longestWait(states, nowMs);
        return refusal(of.type, retry_after);
      };
      const settled = blocked ? store.check(asks) : store.take(asks, on_store_error);
      return settled instanceof Promise ? settled.then(judge) : judge(settled);
    };
  },
});

export interface Limit {
  type: LimitType;
  /** As it was configured. */
  window: string;
  space: string;
  limit: number;
  window_s: number;
  /** Their names, and the one value that is always the same. */
  headers: { limit: string; limit_is: string; remaining: string; reset: string };
}

interface LimitAsk extends Ask {
  of: Limit;
  /** When its block ends, in milliseconds. */
  blocked_until: number | undefined;
}

/** In the order in which the exceeded one is named. */
export function limitsOf(settings: unknown, gateway_id: string): Limit[] {
  const { limits } = decode(RateLimiterSettings, settings);
  return LIMIT_TYPES.flatMap((type) => {
    const configured = limits[type];
    if (!configured) return [];
    const { limit, window } = configured;
    const window_s = seconds(window);
    const space = spaceName(gateway_id, type, window_s);
    const headers = {
      limit: `X-RateLimit-${type}-Limit`,
      limit_is: `${limit}`,
      remaining: `X-RateLimit-${type}-Remaining`,
      reset: `X-RateLimit-${type}-Reset`,
    };
    return [{ type, space, limit, window, window_s, headers }];
  });
}

/** The schema let it through. */
const seconds = (text: string): number => durationSeconds(text) ?? 0;

interface State {
  ask: LimitAsk;
  refuses: boolean;
  remaining: number;
  /** When a slot frees that can be taken, in milliseconds. */
  reset: number;
}

function stateOf(ask: LimitAsk, { admitted, counts }: Settled, at: number, nowMs: number): State {
  const { used, frees_in_ms }: Count = counts[at] ?? { used: 0, frees_in_ms: 0 };
  const { blocked_until } = ask;
  if (blocked_until !== undefined) {
    // A block without an end: asking again after a window is soon enough to hear of it.
    const reset = blocked_until === Infinity ? nowMs + ask.window_s * 1000 : blocked_until;
    return { ask, refuses: true, remaining: 0, reset };
  }
  const remaining = Math.max(0, ask.limit - used);
  return { ask, refuses: !admitted && remaining === 0, remaining, reset: nowMs + frees_in_ms };
}

function tellLimits(
  headers: Record<string, string>,
  states: readonly State[],
  { store }: Settled,
): void {
  if (store === "local") headers["X-RateLimit-Store"] = store;
  for (const { ask, remaining, reset } of states) {
    const names = ask.of.headers;
    headers[names.limit] = names.limit_is;
    headers[names.remaining] = `${remaining}`;
    headers[names.reset] = `${Math.ceil(reset / 1000)}`;
  }
}

/** Whoever waits this long is refused by none of the limits that refuse now. */
function longestWait(states: readonly State[], nowMs: number): string {
  const waits = states.filter(({ refuses }) => refuses).map(({ reset }) => reset - nowMs);
  return `${Math.max(1, Math.ceil(Math.max(...waits) / 1000))}`;
}

const refusal = (type: LimitType, retry_after: string): AppError =>
  new AppError("rate_limited", `${type} rate limit exceeded`, { details: { retry_after } });
