/** Counts in memory, or in counters shared with other processes, with memory as the fallback. */
import type { Log } from "../../lib/log.ts";
import type { Charge, LimitCheck, LimitVerdict, SubjectUsage, UsageQuery } from "./counter.ts";
import type { CounterLink } from "./counter-link.ts";
import { type CallCounters, createGroupLink } from "./group-link.ts";
import { createMemoryCounter, type MemoryCounter } from "./memory-counter.ts";
import type { AdmittedCharges } from "./redis-epoch.ts";
import { createRedisLink } from "./redis-link.ts";

/** `local`: memory as the fallback for shared counters. */
export const STORES = ["memory", "redis", "local"] as const;
export type StoreKind = (typeof STORES)[number];
export interface StoreVerdict extends LimitVerdict {
  store: StoreKind;
  /** The shared counters are unavailable, and a limit must not be counted without them. */
  unavailable?: boolean;
}

export interface StoreCheck extends LimitCheck {
  /** Limit that this process enforces on its own while the shared counters are unavailable. */
  local_limit: number;
}

export interface CounterStore {
  /** With `closed`, admits nothing while the shared counters are unavailable. */
  take(checks: readonly StoreCheck[], closed: boolean): StoreVerdict | Promise<StoreVerdict>;
  /** Returns the usage and charges nothing. */
  check(checks: readonly LimitCheck[]): StoreVerdict | Promise<StoreVerdict>;
  /** Returns the usage without I/O: with shared counters, only the requests that this process admitted. */
  estimate(checks: readonly LimitCheck[]): StoreVerdict;
  /** Returns the subjects of a space that have usage, in no order. */
  listUsage(
    counter: UsageQuery,
  ): Promise<{ items: Iterable<SubjectUsage>; complete: boolean; store: StoreKind }>;
  /** Returns false when the subject had no usage. */
  forget(space: string, subject: string): Promise<boolean>;
  /** Returns true while this process counts on its own because the shared counters are unavailable. */
  isLocal(): boolean;
  /** Returns the number of subjects in the memory of this process. */
  size(): number;
  stop(): void;
}

export interface CounterStoreOptions {
  redis_url: string | undefined;
  /** Counters of the group of workers. Without these and Redis, the process counts in its memory. */
  callCounters?: CallCounters | undefined;
  log: Log;
  /** Monotonic clock of the counters in memory. */
  elapsedMs: () => number;
}

export function openCounterStore(options: CounterStoreOptions): CounterStore {
  const { redis_url, callCounters, log, elapsedMs } = options;
  if (redis_url) {
    return createSharedStore("redis", elapsedMs, (admitted) =>
      createRedisLink(redis_url, log, admitted),
    );
  }
  if (callCounters) {
    return createSharedStore("memory", elapsedMs, ({ unshared }) =>
      createGroupLink(callCounters, log, unshared),
    );
  }
  return createMemoryStore(elapsedMs);
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
 * Every request that the shared counters admit is also counted in memory, and every request that is admitted without
 * them also in `unshared`. A process that loses them continues from what it admitted itself; counters that lost their
 * data or were unavailable are charged with it.
 */
function createSharedStore(
  shared: "redis" | "memory",
  elapsedMs: () => number,
  open: (admitted: AdmittedCharges) => CounterLink,
): CounterStore {
  const memory = createMemoryCounter();
  let unshared = createMemoryCounter();
  const takeUnshared = (): Iterable<Charge> => {
    if (unshared.size() === 0) return [];
    const taken = unshared;
    unshared = createMemoryCounter();
    return taken.charges(elapsedMs());
  };
  const link = open({
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
      if (verdict) return { ...verdict, store: shared };

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
      const verdict = await link.check(checks);
      if (verdict) return { ...verdict, store: shared };
      return { ...memory.check(checks, elapsedMs()), store: "local" };
    },
    estimate: (checks) => ({
      ...memory.check(checks, elapsedMs()),
      store: link.isUnavailable() ? "local" : shared,
    }),
    async listUsage(query) {
      const found = await link.listUsage(query);
      if (found) return { ...found, store: shared };
      return { ...listMemoryUsage(memory, query, elapsedMs()), store: "local" };
    },
    async forget(space, subject) {
      const here = [memory, unshared].map((counter) => counter.forget(space, subject));
      const there = await link.forget(space, subject);
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
