/** Counts in Redis, for all nodes together: one script call for all limits of a request. */
import type { RedisClient } from "bun";
import type { Ask, Used, UsedIn, Verdict } from "./counter.ts";
import { limiterScript } from "./redis-script.ts";

export interface RedisCounter {
  take(asks: readonly Ask[]): Promise<Verdict>;
  /** The same verdict, and nothing is charged. */
  check(asks: readonly Ask[]): Promise<Verdict>;
  /** Everyone in a space who has used something, in no order; not complete when there are too many. */
  used(counter: UsedIn): Promise<{ items: Used[]; complete: boolean }>;
  /** False when there was nothing to forget. */
  forget(space: string, subject: string): Promise<boolean>;
}

export function createRedisCounter(redis: RedisClient, script = limiterScript()): RedisCounter {
  const sha = new Bun.CryptoHasher("sha1").update(script).digest("hex");

  const run = async (asks: readonly Ask[], pay: "0" | "1"): Promise<Verdict> => {
    const keys = asks.map(({ space, subject }) => space + subject);
    const limits = asks.flatMap(({ limit, window_s }) => [`${limit}`, `${window_s}`]);
    const parameters = [`${keys.length}`, ...keys, pay, ...limits];
    const [admitted, ...numbers] = await evaluate(parameters);
    return {
      admitted: admitted === 1,
      counts: asks.map((_, at) => ({
        used: numbers[2 * at] ?? 0,
        frees_in_ms: (numbers[2 * at + 1] ?? 0) / 1000,
      })),
    };
  };

  const evaluate = async (parameters: string[]): Promise<number[]> => {
    try {
      return await redis.send("EVALSHA", [sha, ...parameters]);
    } catch (thrown) {
      // A server that was restarted has lost the script; EVAL brings it back.
      if (!(thrown instanceof Error && thrown.message.startsWith("NOSCRIPT"))) throw thrown;
      return await redis.send("EVAL", [script, ...parameters]);
    }
  };

  return {
    take: (asks) => run(asks, "1"),
    check: (asks) => run(asks, "0"),
    async used(counter) {
      const { space } = counter;
      const { keys, complete } = await keysOf(redis, space);
      const items: Used[] = [];
      for (let at = 0; at < keys.length; at += BATCH) {
        const some = keys.slice(at, at + BATCH);
        const asks = some.map((key) => ({ ...counter, subject: key.slice(space.length) }));
        const { counts } = await run(asks, "0");
        for (const [index, { subject }] of asks.entries()) {
          const count = counts[index];
          if (count?.used) items.push({ subject, ...count });
        }
      }
      return { items, complete };
    },
    forget: async (space, subject) => (await redis.del(space + subject)) > 0,
  };
}

/** Keys that one script call looks at. */
const BATCH = 500;
const KEYS_PER_SCAN = 1_000;
/** All keys of the server are walked through to find ours: half a million takes a second or two. */
const MOST_SCANS = 500;

async function keysOf(redis: RedisClient, space: string) {
  const keys = new Set<string>();
  let cursor = "0";
  for (let scan = 0; scan < MOST_SCANS; scan++) {
    const [next, found] = await redis.scan(cursor, "MATCH", `${space}*`, "COUNT", KEYS_PER_SCAN);
    for (const key of found) keys.add(key);
    cursor = next;
    if (cursor === "0") break;
  }
  return { keys: [...keys], complete: cursor === "0" };
}
