/** Limits the requests of a subject within a window; see docs/guides/rate-limits.md (spec 8). */
import { AppError } from "../contract/errors.ts";
import type { LimitType } from "../contract/gateway/limits.ts";
import { count } from "../lib/metrics.ts";
import { parseDuration } from "../lib/time/duration.ts";
import {
  definePlugin,
  type PluginDeps,
  type PluginRejection,
  type PluginRequest,
} from "./plugin.ts";
import {
  type CompiledLimits,
  compileLimits,
  type LimitCounter,
} from "./rate-limiter/compile-limits.ts";
import type { LimitUsage } from "./rate-limiter/counter.ts";
import type { StoreCheck, StoreVerdict } from "./rate-limiter/counter-store.ts";
import { RateLimiterSettings } from "./rate-limiter/settings.ts";
import { SUBJECT_OF_TYPE } from "./rate-limiter/subjects.ts";

export const rateLimiter = definePlugin({
  name: "rate_limiter",
  summary: "Limits requests per fingerprint, per address, per user and in total.",
  stages: ["pre_request"],
  settings: RateLimiterSettings,
  preRequest(entries, gateway_id) {
    const compiled = compileLimits(entries, gateway_id);

    const createChecks = (
      deps: PluginDeps,
      request: PluginRequest,
      nowMs: number,
    ): SubjectCheck[] => {
      const { blocks, fingerprint } = deps.limiter;
      return compiled.counters.map((counter) => {
        const { type, space, limit, local_limit, window_s } = counter;
        const subject = SUBJECT_OF_TYPE[type](request, fingerprint);
        const blocked_until = blocks.endOf(gateway_id, type, subject, nowMs);
        const { cost = 1 } = request;
        return { space, subject, limit, local_limit, window_s, cost, counter, blocked_until };
      });
    };

    return {
      admit(deps, request) {
        const { store, tally } = deps.limiter;
        const nowMs = deps.now().getTime();
        const checks = createChecks(deps, request, nowMs);
        const decide = (verdict: StoreVerdict): PluginRejection => {
          const states = checks.map((check, at) => toState(check, verdict, at, nowMs));
          setHeaders(request.reply_headers, states, verdict);
          count(tally.checks, verdict.store);
          if (verdict.unavailable) return new AppError("rate_limit_unavailable");
          if (!states.some(({ isExceeded }) => isExceeded)) return undefined;
          return reject(deps, { gateway_id, compiled, states, verdict, nowMs });
        };
        const isBlocked = checks.some(({ blocked_until }) => blocked_until !== undefined);
        const verdict = isBlocked ? store.check(checks) : store.take(checks, compiled.closed);
        return verdict instanceof Promise ? verdict.then(decide) : decide(verdict);
      },
      describe(deps, request) {
        const nowMs = deps.now().getTime();
        const checks = createChecks(deps, request, nowMs);
        const verdict = deps.limiter.store.estimate(checks);
        const states = checks.map((check, at) => toState(check, verdict, at, nowMs));
        setHeaders(request.reply_headers, states, verdict);
      },
    };
  },
});

interface SubjectCheck extends StoreCheck {
  cost: number;
  counter: LimitCounter;
  /** End of the block of the subject, in milliseconds; undefined when it is not blocked. */
  blocked_until: number | undefined;
}

interface LimitState {
  check: SubjectCheck;
  isExceeded: boolean;
  used: number;
  remaining: number;
  /** Time at which the next request can be admitted, in milliseconds. */
  reset: number;
}

function toState(
  check: SubjectCheck,
  { admitted, counts, store }: StoreVerdict,
  at: number,
  nowMs: number,
): LimitState {
  const { used, frees_in_ms }: LimitUsage = counts[at] ?? { used: 0, frees_in_ms: 0 };
  const { blocked_until } = check;
  if (blocked_until !== undefined) {
    // A block that never expires: the client may retry after a window.
    const reset = blocked_until === Infinity ? nowMs + check.window_s * 1000 : blocked_until;
    return { check, isExceeded: true, used, remaining: 0, reset };
  }
  const enforced = store === "local" ? check.local_limit : check.limit;
  return {
    check,
    isExceeded: !admitted && used + check.cost > enforced,
    used,
    remaining: Math.max(0, check.limit - used),
    reset: nowMs + frees_in_ms,
  };
}

/** Sets three headers per type, from its most restrictive counter. */
function setHeaders(
  headers: Record<string, string>,
  states: readonly LimitState[],
  { store }: StoreVerdict,
): void {
  if (store === "local") headers["X-RateLimit-Store"] = store;
  for (const state of states) {
    const { headers: names, limit_text, only } = state.check.counter;
    if (!only && state !== mostRestrictive(states, state.check.counter.type)) continue;
    headers[names.limit] = limit_text;
    headers[names.remaining] = `${state.remaining}`;
    headers[names.reset] = `${Math.ceil(state.reset / 1000)}`;
  }
}

function mostRestrictive(states: readonly LimitState[], type: LimitType): LimitState | undefined {
  return states
    .filter(({ check }) => check.counter.type === type)
    .reduce((one, other) => {
      const difference = other.remaining - one.remaining || one.reset - other.reset;
      return difference < 0 ? other : one;
    });
}

interface Exceeded {
  gateway_id: string;
  compiled: CompiledLimits;
  states: readonly LimitState[];
  verdict: StoreVerdict;
  nowMs: number;
}

/** Reports the first exceeded rule, and blocks its subject when the rule's action is `block`. */
function reject({ limiter }: PluginDeps, exceeded: Exceeded): PluginRejection {
  const { gateway_id, compiled, states, verdict, nowMs } = exceeded;
  for (const { counter, limit, actions, on_store_error } of compiled.rules) {
    const state = states.find(({ check }) => check.counter === counter);
    if (!state?.isExceeded) continue;
    const { subject, cost, blocked_until } = state.check;
    const isOpen = verdict.store === "local" && on_store_error === "open";
    if (blocked_until === undefined && (isOpen || state.used + cost <= limit)) continue;
    const { type } = counter;
    count(limiter.tally.refused, type);
    if (actions.type === "block" && type !== "global" && blocked_until === undefined) {
      limiter.blocks.add({ gateway_id, type, subject }, blockMs(actions.block_for));
    }
    const retry_after = actions.retry_after ?? maxWaitSeconds(states, nowMs);
    return new AppError("rate_limited", `${type} rate limit exceeded`, {
      details: { retry_after },
    });
  }
  return undefined;
}

const blockMs = (block_for: string | undefined): number =>
  block_for === undefined ? Infinity : (parseDuration(block_for) ?? 0) * 1000;

/** Returns the seconds after which none of the exceeded limits is exceeded any longer. */
function maxWaitSeconds(states: readonly LimitState[], nowMs: number): string {
  const waits = states.filter(({ isExceeded }) => isExceeded).map(({ reset }) => reset - nowMs);
  return `${Math.max(1, Math.ceil(Math.max(...waits) / 1000))}`;
}
