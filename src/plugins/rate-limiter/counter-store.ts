/** Which counter is asked? Memory alone, or Redis, with memory for the time when Redis is away. */

import type { Log } from "../../lib/log.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import type { Ask, Charge, Used, UsedIn, Verdict } from "./counter.ts";
import { createMemoryCounter, type MemoryCounter } from "./memory-counter.ts";
import { keepRedis } from "./redis-link.ts";

/** `local` is memory in place of a Redis that is away. */
export const STORES = ["memory", "redis", "local"] as const;
export type Store = (typeof STORES)[number];
export interface Settled extends Verdict {
  store: Store;
  /** Redis is away and a limit must not be counted without it. */
  unavailable?: boolean;
}

export interface StoreAsk extends Ask {
  /** The limit that this node enforces alone while Redis is away. */
  local_limit: number;
}

export interface CounterStore {
  /** `closed`: admits nothing while Redis is away. */
  take(asks: readonly StoreAsk[], closed: boolean): Settled | Promise<Settled>;
  /** How things stand; nothing is charged. */
  check(asks: readonly Ask[]): Settled | Promise<Settled>;
  /** Returns what this node knows without I/O: with Redis, only the requests that it admitted itself. */
  estimate(asks: readonly Ask[]): Settled;
  /** Everyone in a space who has used something, in no order. */
  used(counter: UsedIn): Promise<{ items: Iterable<Used>; complete: boolean; store: Store }>;
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
    used: async (ask) => ({ ...usedIn(memory, ask), store: "memory" }),
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
  const link = keepRedis(redisUrl, log, {
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
      store: link.isAway() ? "local" : "redis",
    }),
    async used(ask) {
      const found = await link
        .counter()
        ?.used(ask)
        .catch(() => undefined);
      if (found) return { ...found, store: "redis" };
      return { ...usedIn(memory, ask), store: "local" };
    },
    async forget(space, subject) {
      const here = [memory, unshared].map((counter) => counter.forget(space, subject));
      const there = await link.ask((redis) => redis.forget(space, subject));
      return here.includes(true) || there === true;
    },
    isLocal: link.isAway,
    size: memory.size,
    stop: link.stop,
  };
}

const locally = (ask: StoreAsk): Ask => ({ ...ask, limit: ask.local_limit });

function usedIn(memory: MemoryCounter, { space, limit }: UsedIn) {
  return { items: memory.used(space, limit, elapsedMs()), complete: true };
}
