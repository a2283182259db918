/** Maintains one connection to Redis: closes it at the first failure, and reconnects. */
import { RedisClient } from "bun";
import type { Log } from "../../lib/log.ts";
import { withTimeout } from "../../lib/time/with-timeout.ts";
import type { CounterLink } from "./counter-link.ts";
import { createRedisCounter, type RedisCounter } from "./redis-counter.ts";
import { type AdmittedCharges, createRedisEpoch } from "./redis-epoch.ts";

/**
 * Timeout of a call, in ticks of an interval timer. Ticks instead of milliseconds, because a process that was
 * busy for a second must not conclude that Redis was silent for a second.
 */
const CALL_TIMEOUT_TICKS = 10;
const TICK_MS = 50;
const CONNECT_TIMEOUT_MS = 1_000;
/** Short enough that every node reconnects within the grace period of a new epoch. */
const RETRY_MS = 200;
const TICKS_PER_SYNC = 2;
/** Timeout of a request that waits while Redis is charged again after a loss of data. */
const SYNC_TIMEOUT_MS = 2_000;
const MAX_ATTEMPTS = 3;

interface Connection {
  redis: RedisClient;
  counter: RedisCounter;
  /** Calls in flight with the tick at which each started, oldest first. */
  pending: Set<{ tick: number }>;
  /** Undefined when no sync is running. */
  syncing: Promise<void> | undefined;
}

/** Returns a connection that responded to a ping; rejects after CONNECT_TIMEOUT_MS. */
export async function openRedis(url: string): Promise<RedisClient> {
  const redis = new RedisClient(url, {
    autoReconnect: false,
    enableOfflineQueue: false,
    connectionTimeout: CONNECT_TIMEOUT_MS,
  });
  const timer = setTimeout(() => redis.close(), CONNECT_TIMEOUT_MS);
  try {
    await redis.connect();
    await redis.ping();
    return redis;
  } catch (thrown) {
    redis.close();
    throw thrown;
  } finally {
    clearTimeout(timer);
  }
}

export function createRedisLink(url: string, log: Log, admitted: AdmittedCharges): CounterLink {
  /** Newest connection; it becomes `current` once Redis has the charges of this node. */
  let newest: Connection | undefined;
  let current: Connection | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let isUnavailable = false;
  let stopped = false;
  let tick = 0;
  const epoch = createRedisEpoch(admitted, log);

  const connect = async () => {
    try {
      const redis = await openRedis(url);
      if (stopped) return redis.close();
      const connection: Connection = {
        redis,
        counter: createRedisCounter(redis),
        pending: new Set(),
        syncing: undefined,
      };
      redis.onclose = (thrown) => {
        if (newest === connection) lose(thrown);
      };
      newest = connection;
      await sync(connection);
      if (newest !== connection) return;
      current = connection;
    } catch (thrown) {
      return lose(thrown);
    }
    if (isUnavailable) log("rate_limit_store_back", { level: "info" });
    isUnavailable = false;
  };

  /** Closes the connection, which rejects every pending call. */
  const lose = (thrown: unknown) => {
    const lost = newest;
    newest = undefined;
    current = undefined;
    lost?.redis.close();
    if (stopped) return;
    if (!isUnavailable) log("rate_limit_store_lost", { level: "error", error: thrown });
    isUnavailable = true;
    clearTimeout(retry);
    retry = setTimeout(connect, RETRY_MS);
  };

  const callOn = async <T>(
    { counter, pending }: Connection,
    work: (counter: RedisCounter) => Promise<T>,
  ): Promise<T> => {
    const started = { tick };
    pending.add(started);
    try {
      return await work(counter);
    } finally {
      pending.delete(started);
    }
  };

  const sync = (connection: Connection): Promise<void> => {
    connection.syncing ??= epoch
      .sync((work) => callOn(connection, work))
      .finally(() => {
        connection.syncing = undefined;
      });
    return connection.syncing;
  };

  /** Runs a call with a timeout; returns undefined when Redis is unavailable. */
  const call = async <T>(work: (counter: RedisCounter) => Promise<T>): Promise<T | undefined> => {
    // During startup the first requests wait for the connection.
    if (!current && !isUnavailable) await firstConnection;
    const connection = current;
    if (!connection) return undefined;
    try {
      return await callOn(connection, work);
    } catch (thrown) {
      if (current === connection) lose(thrown);
      return undefined;
    }
  };

  /** Waits until Redis has been charged again; returns false after SYNC_TIMEOUT_MS. */
  const waitForSync = async (): Promise<boolean> => {
    const connection = current;
    if (!connection) return false;
    try {
      await withTimeout(
        sync(connection),
        SYNC_TIMEOUT_MS,
        () => new Error("The sync with Redis timed out."),
      );
      return true;
    } catch {
      return false;
    }
  };

  const ticks = setInterval(() => {
    tick += 1;
    const [oldest] = newest?.pending ?? [];
    if (oldest && tick - oldest.tick > CALL_TIMEOUT_TICKS) {
      lose(new Error("A call to Redis timed out."));
    }
    // Also without requests, so that an idle node charges what it admitted.
    const connection = current;
    if (connection && tick % TICKS_PER_SYNC === 0) {
      sync(connection).catch((thrown) => {
        if (current === connection) lose(thrown);
      });
    }
  }, TICK_MS);

  const firstConnection = connect();
  return {
    async take(checks) {
      let confirmed = false;
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        let isStale = false;
        const claim = { epoch: epoch.synced(), confirmed };
        const verdict = await call(async (counter) => {
          const taken = await counter.take(checks, claim);
          isStale = taken === undefined;
          return taken;
        });
        if (verdict || !isStale || !(await waitForSync())) return verdict;
        confirmed = true;
      }
      return undefined;
    },
    check: (checks) => call((counter) => counter.check(checks)),
    // Without the timeout of a call: a scan of many keys takes seconds.
    listUsage: async (query) => await current?.counter.listUsage(query).catch(() => undefined),
    forget: (space, subject) => call((counter) => counter.forget(space, subject)),
    isUnavailable: () => isUnavailable,
    stop: () => {
      stopped = true;
      clearTimeout(retry);
      clearInterval(ticks);
      newest?.redis.close();
      newest = undefined;
      current = undefined;
    },
  };
}
