/** Counts in memory, or in Redis with memory as the fallback while Redis is unavailable. */
import type { Log } from "../../lib/log.ts";
import type { Charge, LimitCheck, LimitVerdict, SubjectUsage, UsageQuery } from "./counter.ts";
import { createMemoryCounter, type MemoryCounter } from "./memory-counter.ts";
import { createRedisLink } from "./redis-link.ts";

/** `local`: memory as the fallback for Redis. */
export const STORES = ["memory", "redis", "local"] as const;
export type StoreKind = (typeof STORES)[number];
export interface StoreVerdict extends LimitVerdict {
  store: StoreKind;
  /** Redis is unavailable, and a limit must not be counted without it. */
  unavailable?: boolean;
}

export interface StoreCheck extends LimitCheck {
  /** Limit that this node enforces on its own while Redis is unavailable. */
  local_limit: number;
}

export interface CounterStore {
  /** With `closed`, admits nothing while Redis is unavailable. */
  take(checks: readonly StoreCheck[], closed: boolean): StoreVerdict | Promise<StoreVerdict>;
  /** Returns the usage and charges nothing. */
  check(checks: readonly LimitCheck[]): StoreVerdict | Promise<StoreVerdict>;
  /** Returns the usage without I/O: with Redis, only the requests that this node admitted. */
  estimate(checks: readonly LimitCheck[]): StoreVerdict;
  /** Returns the subjects of a space that have usage, in no order. */
  listUsage(
    counter: UsageQuery,
  ): Promise<{ items: Iterable<SubjectUsage>; complete: boolean; store: StoreKind }>;
  /** Returns false when the subject had no usage. */
  forget(space: string, subject: string): Promise<boolean>;
  /** Returns true while this node counts on its own because Redis is unavailable. */
  isLocal(): boolean;
  /** Returns the number of subjects in the memory of this process. */
  size(): number;
  stop(): void;
}

export interface CounterStoreOptions {
  /** Counts in the memory of this process when undefined. */
  redis_url: string | undefined;
  log: Log;
  /** Monotonic clock of the counters in memory. */
  elapsedMs: () => number;
}

export function openCounterStore({ redis_url, log, elapsedMs }: CounterStoreOptions): CounterStore {
  return redis_url ? createSharedStore(redis_url, log, elapsedMs) : createMemoryStore(elapsedMs);
}

function createMemoryStore(elapsedMs: () => number): CounterStore {
  const memory = createMemoryCounter();
  return {
    take: (checks) => ({ ...memory.take(checks, elapsedMs()), store: "memory" }),
    check: (checks) => ({ ...memory.check(checks, elapsedMs()), store: "memory" }),
    estimate: (checks) => ({ ...memory.check(checks, elapsedMs()), store: "memory" }),
    listUsage: async (query) => ({
      ...listMemoryUsage(memory, query, elapsedMs()),
      store: "memory",
    }),
    forget: async (space, subject) => memory.forget(space, subject),
    isLocal: () => false,
    size: memory.size,
    stop: () => {},
  };
}

/**
 * Every request that Redis admits is also counted in memory, and every request that is admitted without Redis
 * also in `unshared`. A node that loses Redis continues from what it admitted itself; a Redis that lost its data or
 * was unavailable is charged with it.
 */
function createSharedStore(redisUrl: string, log: Log, elapsedMs: () => number): CounterStore {
  const memory = createMemoryCounter();
  let unshared = createMemoryCounter();
  const takeUnshared = (): Iterable<Charge> => {
    if (unshared.size() === 0) return [];
    const taken = unshared;
    unshared = createMemoryCounter();
    return taken.charges(elapsedMs());
  };
  const link = createRedisLink(redisUrl, log, {
    all: () => {
      takeUnshared();
      return memory.charges(elapsedMs());
    },
    unshared: takeUnshared,
  });
  return {
    async take(checks, closed) {
      const verdict = await link.take(checks);
      if (verdict?.admitted) memory.charge(checks, elapsedMs());
      if (verdict) return { ...verdict, store: "redis" };

      const nowMs = elapsedMs();
      if (closed) {
        const usage = memory.check(checks, nowMs);
        return { ...usage, admitted: false, unavailable: true, store: "local" };
      }
      const own = memory.take(checks.map(toLocalCheck), nowMs);
      if (own.admitted) unshared.charge(checks, nowMs);
      return { ...own, store: "local" };
    },
    async check(checks) {
      const verdict = await link.call((redis) => redis.check(checks));
      if (verdict) return { ...verdict, store: "redis" };
      return { ...memory.check(checks, elapsedMs()), store: "local" };
    },
    estimate: (checks) => ({
      ...memory.check(checks, elapsedMs()),
      store: link.isUnavailable() ? "local" : "redis",
    }),
    async listUsage(query) {
      const found = await link
        .counter()
        ?.listUsage(query)
        .catch(() => undefined);
      if (found) return { ...found, store: "redis" };
      return { ...listMemoryUsage(memory, query, elapsedMs()), store: "local" };
    },
    async forget(space, subject) {
      const here = [memory, unshared].map((counter) => counter.forget(space, subject));
      const there = await link.call((redis) => redis.forget(space, subject));
      return here.includes(true) || there === true;
    },
    isLocal: link.isUnavailable,
    size: memory.size,
    stop: link.stop,
  };
}

const toLocalCheck = (check: StoreCheck): LimitCheck => ({ ...check, limit: check.local_limit });

function listMemoryUsage(memory: MemoryCounter, { space, limit }: UsageQuery, nowMs: number) {
  return { items: memory.listUsage(space, limit, nowMs), complete: true };
}
