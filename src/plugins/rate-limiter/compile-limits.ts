/** Combines all rate_limiter entries of a gateway into counters, and the rules that read them. */
import { LIMIT_TYPES, type LimitType } from "../../contract/gateway/limits.ts";
import { parseDuration } from "../../lib/time/duration.ts";
import { spaceName } from "./counter.ts";
import type { RateLimiterSettings } from "./settings.ts";

/**
 * Counts the requests of each subject of a type within a window. Every admitted request is charged to
 * all counters. Entries with the same type and window share one, so that an entry can be moved or edited
 * without losing its usage.
 */
export interface LimitCounter {
  type: LimitType;
  /** Duration as the first entry writes it. */
  window: string;
  window_s: number;
  space: string;
  /** Smallest of the limits that use this counter. */
  limit: number;
  /** Smallest limit enforced while Redis is unavailable; Infinity when all are `open`. */
  local_limit: number;
  limit_text: string;
  /** False when another counter has the same type, so that several compete for the headers. */
  only: boolean;
  headers: { limit: string; remaining: string; reset: string };
}

export interface LimitRule {
  counter: LimitCounter;
  limit: number;
  actions: RateLimiterSettings["actions"];
  on_store_error: RateLimiterSettings["on_store_error"];
}

export interface CompiledLimits {
  counters: readonly LimitCounter[];
  /** In priority order, and within an entry in the order of `LIMIT_TYPES`; the first exceeded one is reported. */
  rules: readonly LimitRule[];
  /** True when an entry requires 503 while Redis is unavailable. */
  closed: boolean;
}

/** Takes the settings of the enabled entries, in priority order. */
export function compileLimits(
  entries: readonly RateLimiterSettings[],
  gateway_id: string,
): CompiledLimits {
  const counters = new Map<string, LimitCounter>();
  const rules: LimitRule[] = [];
  for (const { limits, actions, on_store_error } of entries) {
    for (const type of LIMIT_TYPES) {
      const configured = limits[type];
      if (!configured) continue;
      const { limit, window } = configured;
      // The schema accepts only valid durations.
      const window_s = parseDuration(window) ?? 0;
      const space = spaceName(gateway_id, type, window_s);
      let counter = counters.get(space);
      if (!counter) {
        counter = newCounter(type, window, { window_s, space });
        counters.set(space, counter);
      }
      counter.limit = Math.min(counter.limit, limit);
      counter.limit_text = `${counter.limit}`;
      if (on_store_error !== "open") counter.local_limit = Math.min(counter.local_limit, limit);
      rules.push({ counter, limit, actions, on_store_error });
    }
  }
  const all = [...counters.values()];
  for (const counter of all) {
    counter.only = all.every((other) => other === counter || other.type !== counter.type);
  }
  const closed = rules.some(({ on_store_error }) => on_store_error === "closed");
  return { counters: all, rules, closed };
}

const newCounter = (
  type: LimitType,
  window: string,
  at: Pick<LimitCounter, "window_s" | "space">,
): LimitCounter => ({
  type,
  window,
  ...at,
  limit: Infinity,
  local_limit: Infinity,
  limit_text: "",
  only: true,
  headers: {
    limit: `X-RateLimit-${type}-Limit`,
    remaining: `X-RateLimit-${type}-Remaining`,
    reset: `X-RateLimit-${type}-Reset`,
  },
});
