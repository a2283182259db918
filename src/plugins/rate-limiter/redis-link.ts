/** Is Redis there? Keeps one connection, gives it up at the first sign of trouble, and brings it back. */
import { RedisClient } from "bun";
import { elapsedMs } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import { createRedisCounter, type RedisCounter } from "./redis-counter.ts";

/**
 * A request waits so many turns of the clock for Redis at most. Turns, not milliseconds: when this
 * process was busy for a second, Redis was not silent for a second.
 */
const PATIENCE_TURNS = 10;
const TURN_MS = 50;
const CONNECT_MS = 1_000;
const RETRY_MS = 500;

export interface RedisLink {
  /** What `ask` finds out, in time; undefined while Redis is away, or is found to be. */
  ask<T>(ask: (counter: RedisCounter) => Promise<T>): Promise<T | undefined>;
  /** For questions that may take their time; undefined while Redis is away. */
  counter(): RedisCounter | undefined;
  isAway(): boolean;
  /** When Redis last came back after it was away; of the steady clock. */
  back_at(): number;
  stop(): void;
}

interface Connection {
  redis: RedisClient;
  counter: RedisCounter;
  /** The turn in which each open question was asked, the oldest first. */
  open: Set<{ asked: number }>;
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

export function keepRedis(url: string, log: Log): RedisLink {
  let current: Connection | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let away = false;
  let backAt = Number.NEGATIVE_INFINITY;
  let stopped = false;
  let turn = 0;

  const connect = async () => {
    let redis: RedisClient;
    try {
      redis = await openRedis(url);
    } catch (thrown) {
      return lose(thrown);
    }
    if (stopped) return redis.close();
    const connection = {
      redis,
      counter: createRedisCounter(redis),
      open: new Set(),
    } satisfies Connection;
    redis.onclose = (thrown) => {
      if (current === connection) lose(thrown);
    };
    current = connection;
    if (!away) return;
    away = false;
    backAt = elapsedMs();
    log("rate_limit_store_back", { level: "info" });
  };

  /** Closing the connection ends every open question on it. */
  const lose = (thrown: unknown) => {
    const lost = current;
    current = undefined;
    lost?.redis.close();
    if (stopped) return;
    if (!away) log("rate_limit_store_lost", { level: "error", error: thrown });
    away = true;
    clearTimeout(retry);
    retry = setTimeout(connect, RETRY_MS);
  };

  const turns = setInterval(() => {
    turn += 1;
    const [oldest] = current?.open ?? [];
    if (oldest && turn - oldest.asked > PATIENCE_TURNS) lose(new Error("Redis does not answer."));
  }, TURN_MS);

  const first = connect();
  return {
    async ask(ask) {
      // Only while the program starts: its first requests must not take Redis for lost.
      if (!current && !away) await first;
      const connection = current;
      if (!connection) return undefined;
      const question = { asked: turn };
      connection.open.add(question);
      try {
        return await ask(connection.counter);
      } catch (thrown) {
        if (current === connection) lose(thrown);
        return undefined;
      } finally {
        connection.open.delete(question);
      }
    },
    counter: () => current?.counter,
    isAway: () => away,
    back_at: () => backAt,
    stop: () => {
      stopped = true;
      clearTimeout(retry);
      clearInterval(turns);
      current?.redis.close();
      current = undefined;
    },
  };
}
