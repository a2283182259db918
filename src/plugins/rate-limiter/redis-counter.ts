/** Counts in Redis, for all nodes together: one script call for all limits of a request. */
import type { RedisClient } from "bun";
import { elapsedMs } from "../../lib/time/clock.ts";
import {
  type Charge,
  epochKey,
  type LimitCheck,
  type LimitVerdict,
  type SubjectUsage,
  type UsageQuery,
} from "./counter.ts";
import { chargeScript, epochScript, limiterScript } from "./redis-script.ts";

/** The epoch that a node has charged its requests to. */
export interface EpochClaim {
  epoch: string;
  /** The epoch was just confirmed: the gateway's key may be set to it. */
  confirmed: boolean;
}

export interface RedisCounter {
  /** Undefined, with nothing charged, when Redis has the data of another epoch. */
  take(asks: readonly LimitCheck[], claim?: EpochClaim): Promise<LimitVerdict | undefined>;
  /** Returns the same verdict and charges nothing. */
  check(asks: readonly LimitCheck[]): Promise<LimitVerdict>;
  /** Adds requests that were admitted earlier. All are of one space. */
  charge(charges: readonly Charge[]): Promise<void>;
  /** Returns the epoch of the data; `charging` keeps it closed for another grace period. */
  epoch(known: string, charging: boolean): Promise<{ epoch: string; opens_in_ms: number }>;
  /** Everyone in a space who has used something, in no order; not complete when there are too many. */
  listUsage(counter: UsageQuery): Promise<{ items: SubjectUsage[]; complete: boolean }>;
  /** False when there was nothing to forget. */
  forget(space: string, subject: string): Promise<boolean>;
}

export function createRedisCounter(redis: RedisClient, script = limiterScript()): RedisCounter {
  const limiter = scriptOn(redis, script);
  const charger = scriptOn(redis, chargeScript());
  const epochs = scriptOn(redis, epochScript());

  const run = async (asks: readonly LimitCheck[], charge: number, claim: EpochClaim) => {
    const keys = asks.map(({ space, subject }) => space + subject);
    keys.push(epochKey(asks[0]?.space ?? ""));
    const limits = asks.flatMap(({ limit, window_s }) => [`${limit}`, `${window_s}`]);
    const confirmed = claim.confirmed ? "1" : "0";
    const [admitted, ...numbers] = await limiter<number[]>(keys, [
      `${charge}`,
      claim.epoch,
      confirmed,
      ...limits,
    ]);
    if (admitted === -1) return undefined;
    return {
      admitted: admitted === 1,
      counts: asks.map((_, at) => ({
        used: numbers[2 * at] ?? 0,
        frees_in_ms: (numbers[2 * at + 1] ?? 0) / 1000,
      })),
    };
  };

  const check = async (asks: readonly LimitCheck[]): Promise<LimitVerdict> =>
    (await run(asks, 0, ANY_EPOCH)) ?? { admitted: false, counts: [] };

  return {
    take: (asks, claim = ANY_EPOCH) => run(asks, asks[0]?.cost ?? 1, claim),
    check,
    async charge(charges) {
      const [first] = charges;
      if (!first) return;
      const nowMs = elapsedMs();
      const keys = charges.map(({ space, subject }) => space + subject);
      const slots = charges.flatMap((charge) => [
        `${charge.slots.length}`,
        ...charge.slots.flatMap(({ latest_ms, count }) => [
          `${Math.max(0, Math.floor((nowMs - latest_ms) * 1000))}`,
          `${count}`,
        ]),
      ]);
      await charger(keys, [`${first.window_s}`, ...slots]);
    },
    async epoch(known, charging) {
      const [epoch, opensInUs] = await epochs<[string, number]>(
        ["portcullis:epoch"],
        [known, charging ? "1" : "0", `${GRACE_MS * 1000}`],
      );
      return { epoch, opens_in_ms: opensInUs / 1000 };
    },
    async listUsage(counter) {
      const { space } = counter;
      const { keys, complete } = await keysOf(redis, space);
      const items: SubjectUsage[] = [];
      for (let at = 0; at < keys.length; at += BATCH) {
        const some = keys.slice(at, at + BATCH);
        const asks = some.map((key) => ({ ...counter, subject: key.slice(space.length) }));
        const { counts } = await check(asks);
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

const ANY_EPOCH: EpochClaim = { epoch: "", confirmed: false };

/**
 * In a new epoch nothing is admitted for this long: within it every live node notices that the data
 * is gone, and charges what it admitted.
 */
const GRACE_MS = 500;

function scriptOn(redis: RedisClient, script: string) {
  const sha = new Bun.CryptoHasher("sha1").update(script).digest("hex");
  return async <T>(keys: readonly string[], parameters: readonly string[]): Promise<T> => {
    const rest = [`${keys.length}`, ...keys, ...parameters];
    try {
      return await redis.send("EVALSHA", [sha, ...rest]);
    } catch (thrown) {
      // A server that was restarted has lost the script; EVAL brings it back.
      if (!(thrown instanceof Error && thrown.message.startsWith("NOSCRIPT"))) throw thrown;
      return await redis.send("EVAL", [script, ...rest]);
    }
  };
}

/** Keys that one script call looks at. */
const BATCH = 500;
const KEYS_PER_SCAN = 1_000;
/** All keys of the server are walked through to find ours: half a million takes a second or two. */
const MAX_SCANS = 500;

async function keysOf(redis: RedisClient, space: string) {
  const keys = new Set<string>();
  let cursor = "0";
  for (let scan = 0; scan < MAX_SCANS; scan++) {
    const [next, found] = await redis.scan(cursor, "MATCH", `${space}*`, "COUNT", KEYS_PER_SCAN);
    for (const key of found) keys.add(key);
    cursor = next;
    if (cursor === "0") break;
  }
  return { keys: [...keys], complete: cursor === "0" };
}
