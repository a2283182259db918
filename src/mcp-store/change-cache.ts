/** Caches what was read from the database until any node changes the configuration or the Store. */
import { createLruCache } from "../lib/lru-cache.ts";
import { elapsedMs } from "../lib/time/clock.ts";

/**
 * Returns the cached value of `key`, or reads it. `state` is the `changeState` of the database, read before: a change
 * while `read` runs is then noticed by the next request.
 */
export type ChangeCache<T> = (state: string, key: string, read: () => Promise<T>) => Promise<T>;

interface ChangeCacheOptions<T> {
  /** Limit for the sum of all weights. */
  max: number;
  weigh?: (value: T) => number;
  /** Returns true for a value that is outdated without a change, by the clock. */
  isStale?: (value: T) => boolean;
}

/** A failover that loses a commit may reuse its revision of the Store. */
const MAX_AGE_MS = 10_000;

export function createChangeCache<T>({
  max,
  weigh = () => 1,
  isStale = () => false,
}: ChangeCacheOptions<T>): ChangeCache<T> {
  const cache = createLruCache<{ state: string; read_ms: number; value: T }>(max);
  return async (state, key, read) => {
    const known = cache.get(key);
    const isCurrent = known?.state === state && elapsedMs() - known.read_ms < MAX_AGE_MS;
    if (isCurrent && !isStale(known.value)) return known.value;
    const read_ms = elapsedMs();
    const value = await read();
    cache.set(key, { state, read_ms, value }, weigh(value));
    return value;
  };
}
