/** Keeps one connection to Redis, closes it at the first failure, and connects again. */
import { RedisClient } from "bun";
import type { Log } from "../../lib/log.ts";
import { withTimeout } from "../../lib/time/with-timeout.ts";
import type { LimitCheck, LimitVerdict } from "./counter.ts";
import { createRedisCounter, type RedisCounter } from "./redis-counter.ts";
import { type AdmittedCharges, createRedisEpoch } from "./redis-epoch.ts";

/**
 * A request waits so many turns of the clock for Redis at most. Turns, not milliseconds: when this
 * process was busy for a second, Redis was not silent for a second.
 */
const PATIENCE_TURNS = 10;
const TURN_MS = 50;
const CONNECT_MS = 1_000;
/** Short enough that every node is back within the grace period of a new epoch. */
const RETRY_MS = 200;
const TURNS_PER_SYNC = 2;
/** How long a request waits while Redis is charged again after it lost its data. */
const SYNC_PATIENCE_MS = 2_000;
const MAX_TRIES = 3;

export interface RedisLink {
  /** Checks and charges; undefined while Redis is away, or its data is not complete. */
  take(asks: readonly LimitCheck[]): Promise<LimitVerdict | undefined>;
  /** Returns the result in time; undefined while Redis is away, or is found to be. */
  ask<T>(work: (counter: RedisCounter) => Promise<T>): Promise<T | undefined>;
  /** For calls that may take their time; undefined while Redis is away. */
  counter(): RedisCounter | undefined;
  isUnavailable(): boolean;
  stop(): void;
}

interface Connection {
  redis: RedisClient;
  counter: RedisCounter;
  /** The turn in which each open call was made, the oldest first. */
  open: Set<{ asked: number }>;
  /** Undefined when no sync runs. */
  syncing: Promise<void> | undefined;
}

/** A connection that has answered once; throws when there is none in time. */
export async function openRedis(url: string): Promise<RedisClient> {
  const redis = new RedisClient(url, {
    autoReconnect: false,
    enableOfflineQueue: false,
    connectionTimeout: CONNECT_MS,
  });
  const late = setTimeout(() => redis.close(), CONNECT_MS);
  try {
    await redis.connect();
    await redis.ping();
    return redis;
  } catch (thrown) {
    redis.close();
    throw thrown;
  } finally {
    clearTimeout(late);
  }
}

export function createRedisLink(url: string, log: Log, admitted: AdmittedCharges): RedisLink {
  /** The newest connection; `current` only once Redis has all that this node admitted. */
  let newest: Connection | undefined;
  let current: Connection | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let away = false;
  let stopped = false;
  let turn = 0;
  const epoch = createRedisEpoch(admitted, log);

  const connect = async () => {
    try {
      const redis = await openRedis(url);
      if (stopped) return redis.close();
      const connection: Connection = {
        redis,
        counter: createRedisCounter(redis),
        open: new Set(),
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
    if (away) log("rate_limit_store_back", { level: "info" });
    away = false;
  };

  /** Closing the connection ends every open call on it. */
  const lose = (thrown: unknown) => {
    const lost = newest;
    newest = undefined;
    current = undefined;
    lost?.redis.close();
    if (stopped) return;
    if (!away) log("rate_limit_store_lost", { level: "error", error: thrown });
    away = true;
    clearTimeout(retry);
    retry = setTimeout(connect, RETRY_MS);
  };

  const call = async <T>(
    { counter, open }: Connection,
    work: (counter: RedisCounter) => Promise<T>,
  ): Promise<T> => {
    const pending = { asked: turn };
    open.add(pending);
    try {
      return await work(counter);
    } finally {
      open.delete(pending);
    }
  };

  const sync = (connection: Connection): Promise<void> => {
    connection.syncing ??= epoch
      .sync((work) => call(connection, work))
      .finally(() => {
        connection.syncing = undefined;
      });
    return connection.syncing;
  };

  const ask = async <T>(work: (counter: RedisCounter) => Promise<T>): Promise<T | undefined> => {
    // Only while the program starts: its first requests must not take Redis for lost.
    if (!current && !away) await first;
    const connection = current;
    if (!connection) return undefined;
    try {
      return await call(connection, work);
    } catch (thrown) {
      if (current === connection) lose(thrown);
      return undefined;
    }
  };

  /** Waits until Redis has been charged again; false when that takes too long. */
  const synced = async (): Promise<boolean> => {
    const connection = current;
    if (!connection) return false;
    try {
      await withTimeout(
        sync(connection),
        SYNC_PATIENCE_MS,
        () => new Error("Redis is being charged."),
      );
      return true;
    } catch {
      return false;
    }
  };

  const turns = setInterval(() => {
    turn += 1;
    const [oldest] = newest?.open ?? [];
    if (oldest && turn - oldest.asked > PATIENCE_TURNS) lose(new Error("Redis does not answer."));
    // Also without requests: a node that is quiet must charge what it admitted, too.
    const connection = current;
    if (connection && turn % TURNS_PER_SYNC === 0) {
      sync(connection).catch((thrown) => {
        if (current === connection) lose(thrown);
      });
    }
  }, TURN_MS);

  const first = connect();
  return {
    async take(asks) {
      let confirmed = false;
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        let stale = false;
        const claim = { epoch: epoch.synced(), confirmed };
        const verdict = await ask(async (counter) => {
          const taken = await counter.take(asks, claim);
          stale = taken === undefined;
          return taken;
        });
        if (verdict || !stale || !(await synced())) return verdict;
        confirmed = true;
      }
      return undefined;
    },
    ask,
    counter: () => current?.counter,
    isUnavailable: () => away,
    stop: () => {
      stopped = true;
      clearTimeout(retry);
      clearInterval(turns);
      newest?.redis.close();
      newest = undefined;
      current = undefined;
    },
  };
}
