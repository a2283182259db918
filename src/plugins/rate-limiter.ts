/** Limits how many requests a subject may make in a window; see docs/guides/rate-limits.md (spec 8). */
import { AppError } from "../contract/errors.ts";
import type { LimitType } from "../contract/limits.ts";
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
  summary: "Limits requests per fingerprint, per address, per user and in all.",
  stages: ["pre_request"],
  settings: RateLimiterSettings,
  preRequest(entries, gateway_id) {
    const compiled = compileLimits(entries, gateway_id);

    const asksOf = (deps: PluginDeps, request: PluginRequest, nowMs: number): LimitAsk[] => {
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
        const asks = asksOf(deps, request, nowMs);
        const judge = (settled: StoreVerdict): PluginRejection => {
          const states = asks.map((ask, at) => stateOf(ask, settled, at, nowMs));
          setHeaders(request.reply_headers, states, settled);
          count(tally.checks, settled.store);
          if (settled.unavailable) return new AppError("rate_limit_unavailable");
          if (!states.some(({ refuses }) => refuses)) return undefined;
          return refuse(deps, { gateway_id, compiled, states, settled, nowMs });
        };
        const blocked = asks.some(({ blocked_until }) => blocked_until !== undefined);
        const settled = blocked ? store.check(asks) : store.take(asks, compiled.closed);
        return settled instanceof Promise ? settled.then(judge) : judge(settled);
      },
      describe(deps, request) {
        const nowMs = deps.now().getTime();
        const asks = asksOf(deps, request, nowMs);
        const known = deps.limiter.store.estimate(asks);
        const states = asks.map((ask, at) => stateOf(ask, known, at, nowMs));
        setHeaders(request.reply_headers, states, known);
      },
    };
  },
});

interface LimitAsk extends StoreCheck {
  cost: number;
  counter: LimitCounter;
  /** When its block ends, in milliseconds. */
  blocked_until: number | undefined;
}

interface State {
  ask: LimitAsk;
  refuses: boolean;
  used: number;
  remaining: number;
  /** When a slot frees that can be taken, in milliseconds. */
  reset: number;
}

function stateOf(
  ask: LimitAsk,
  { admitted, counts, store }: StoreVerdict,
  at: number,
  nowMs: number,
) {
  const { used, frees_in_ms }: LimitUsage = counts[at] ?? { used: 0, frees_in_ms: 0 };
  const { blocked_until } = ask;
  if (blocked_until !== undefined) {
    // A block without an end: trying again after a window is soon enough.
    const reset = blocked_until === Infinity ? nowMs + ask.window_s * 1000 : blocked_until;
    return { ask, refuses: true, used, remaining: 0, reset };
  }
  const enforced = store === "local" ? ask.local_limit : ask.limit;
  return {
    ask,
    refuses: !admitted && used + ask.cost > enforced,
    used,
    remaining: Math.max(0, ask.limit - used),
    reset: nowMs + frees_in_ms,
  };
}

/** Sets one triple for each type; of several counters of a type the most restrictive is shown. */
function setHeaders(
  headers: Record<string, string>,
  states: readonly State[],
  { store }: StoreVerdict,
): void {
  if (store === "local") headers["X-RateLimit-Store"] = store;
  for (const state of states) {
    const { headers: names, limit_text, only } = state.ask.counter;
    if (!only && state !== mostRestrictive(states, state.ask.counter.type)) continue;
    headers[names.limit] = limit_text;
    headers[names.remaining] = `${state.remaining}`;
    headers[names.reset] = `${Math.ceil(state.reset / 1000)}`;
  }
}

function mostRestrictive(states: readonly State[], type: LimitType): State | undefined {
  return states
    .filter(({ ask }) => ask.counter.type === type)
    .reduce((one, other) => {
      const less = other.remaining - one.remaining || one.reset - other.reset;
      return less < 0 ? other : one;
    });
}

interface Refused {
  gateway_id: string;
  compiled: CompiledLimits;
  states: readonly State[];
  settled: StoreVerdict;
  nowMs: number;
}

/** Reports the first exceeded rule, and blocks its subject when the rule's action is `block`. */
function refuse({ limiter }: PluginDeps, refused: Refused): PluginRejection {
  const { gateway_id, compiled, states, settled, nowMs } = refused;
  for (const { counter, limit, actions, on_store_error } of compiled.rules) {
    const state = states.find(({ ask }) => ask.counter === counter);
    if (!state?.refuses) continue;
    const { subject, cost, blocked_until } = state.ask;
    const isOpen = settled.store === "local" && on_store_error === "open";
    if (blocked_until === undefined && (isOpen || state.used + cost <= limit)) continue;
    const { type } = counter;
    count(limiter.tally.refused, type);
    if (actions.type === "block" && type !== "global" && blocked_until === undefined) {
      limiter.blocks.add({ gateway_id, type, subject }, blockMs(actions.block_for));
    }
    const retry_after = actions.retry_after ?? longestWait(states, nowMs);
    return new AppError("rate_limited", `${type} rate limit exceeded`, {
      details: { retry_after },
    });
  }
  return undefined;
}

const blockMs = (block_for: string | undefined): number =>
  block_for === undefined ? Infinity : (parseDuration(block_for) ?? 0) * 1000;

/** After this many seconds none of the limits that refuse now refuses. */
function longestWait(states: readonly State[], nowMs: number): string {
  const waits = states.filter(({ refuses }) => refuses).map(({ reset }) => reset - nowMs);
  return `${Math.max(1, Math.ceil(Math.max(...waits) / 1000))}`;
}
