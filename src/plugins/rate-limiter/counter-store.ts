/** Which counter is asked? Memory alone, or Redis, with memory for the time when Redis is away. */

import type { Log } from "../../lib/log.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import type { Charge, LimitCheck, LimitVerdict, SubjectUsage, UsageQuery } from "./counter.ts";
import { createMemoryCounter, type MemoryCounter } from "./memory-counter.ts";
import { createRedisLink } from "./redis-link.ts";

/** `local` is memory in place of a Redis that is away. */
export const STORES = ["memory", "redis", "local"] as const;
export type StoreKind = (typeof STORES)[number];
export interface StoreVerdict extends LimitVerdict {
  store: StoreKind;
  /** Redis is away and a limit must not be counted without it. */
  unavailable?: boolean;
}

export interface StoreCheck extends LimitCheck {
  /** The limit that this node enforces alone while Redis is away. */
  local_limit: number;
}

export interface CounterStore {
  /** `closed`: admits nothing while Redis is away. */
  take(asks: readonly StoreCheck[], closed: boolean): StoreVerdict | Promise<StoreVerdict>;
  /** How things stand; nothing is charged. */
  check(asks: readonly LimitCheck[]): StoreVerdict | Promise<StoreVerdict>;
  /** Returns what this node knows without I/O: with Redis, only the requests that it admitted itself. */
  estimate(asks: readonly LimitCheck[]): StoreVerdict;
  /** Everyone in a space who has used something, in no order. */
  listUsage(
    counter: UsageQuery,
  ): Promise<{ items: Iterable<SubjectUsage>; complete: boolean; store: StoreKind }>;
  /** False when there was nothing to forget. */
  forget(space: string, subject: string): Promise<boolean>;
  /** Redis is away: this node counts on its own. */
  isLocal(): boolean;
  /** Subjects that are remembered in the memory of this process. */
  size(): number;
  stop(): void;
}

export function openCounterStore(redisUrl: string | undefined, log: Log): CounterStore {
  return redisUrl ? sharedStore(redisUrl, log) : ownStore(createMemoryCounter());
}

function ownStore(memory: MemoryCounter): CounterStore {
  return {
    take: (asks) => ({ ...memory.take(asks, elapsedMs()), store: "memory" }),
    check: (asks) => ({ ...memory.check(asks, elapsedMs()), store: "memory" }),
    estimate: (asks) => ({ ...memory.check(asks, elapsedMs()), store: "memory" }),
    listUsage: async (ask) => ({ ...usedIn(memory, ask), store: "memory" }),
    forget: async (space, subject) => memory.forget(space, subject),
    isLocal: () => false,
    size: memory.size,
    stop: () => {},
  };
}

/**
 * Every request that Redis admits is counted in memory too, and every request that is admitted without
 * Redis in `unshared`: a node that loses Redis goes on from what it admitted itself, and a Redis that
 * lost its data, or was away, is charged with it.
 */
function sharedStore(redisUrl: string, log: Log): CounterStore {
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
    async take(asks, closed) {
      const verdict = await link.take(asks);
      if (verdict?.admitted) memory.charge(asks, elapsedMs());
      if (verdict) return { ...verdict, store: "redis" };

      const nowMs = elapsedMs();
      if (closed) {
        const known = memory.check(asks, nowMs);
        return { ...known, admitted: false, unavailable: true, store: "local" };
      }
      const own = memory.take(asks.map(locally), nowMs);
      if (own.admitted) unshared.charge(asks, nowMs);
      return { ...own, store: "local" };
    },
    async check(asks) {
      const verdict = await link.ask((redis) => redis.check(asks));
      if (verdict) return { ...verdict, store: "redis" };
      return { ...memory.check(asks, elapsedMs()), store: "local" };
    },
    estimate: (asks) => ({
      ...memory.check(asks, elapsedMs()),
      store: link.isUnavailable() ? "local" : "redis",
    }),
    async listUsage(ask) {
      const found = await link
        .counter()
        ?.listUsage(ask)
        .catch(() => undefined);
      if (found) return { ...found, store: "redis" };
      return { ...usedIn(memory, ask), store: "local" };
    },
    async forget(space, subject) {
      const here = [memory, unshared].map((counter) => counter.forget(space, subject));
      const there = await link.ask((redis) => redis.forget(space, subject));
      return here.includes(true) || there === true;
    },
    isLocal: link.isUnavailable,
    size: memory.size,
    stop: link.stop,
  };
}

const locally = (ask: StoreCheck): LimitCheck => ({ ...ask, limit: ask.local_limit });

function usedIn(memory: MemoryCounter, { space, limit }: UsageQuery) {
  return { items: memory.listUsage(space, limit, elapsedMs()), complete: true };
}
