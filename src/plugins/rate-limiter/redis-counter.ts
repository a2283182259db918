/** Counts in Redis, shared by all nodes: one script call for all requests of an event-loop turn. */
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

/** Epoch that a node has charged its requests to. */
export interface EpochClaim {
  epoch: string;
  /** True when the epoch was just confirmed, so that the key of the gateway may be set to it. */
  confirmed: boolean;
}

export interface RedisCounter {
  /** Returns undefined and charges nothing when Redis has the data of another epoch. */
  take(checks: readonly LimitCheck[], claim?: EpochClaim): Promise<LimitVerdict | undefined>;
  /** Returns the same verdict and charges nothing. */
  check(checks: readonly LimitCheck[]): Promise<LimitVerdict>;
  /** Adds requests that were admitted earlier, all of the same space. */
  charge(charges: readonly Charge[]): Promise<void>;
  /** Returns the epoch of the data; `charging` keeps it closed for another grace period. */
  epoch(known: string, charging: boolean): Promise<{ epoch: string; opens_in_ms: number }>;
  /** Returns the subjects of a space that have usage, in no order; incomplete when there are too many. */
  listUsage(counter: UsageQuery): Promise<{ items: SubjectUsage[]; complete: boolean }>;
  /** Returns false when the subject had no usage. */
  forget(space: string, subject: string): Promise<boolean>;
}

export function createRedisCounter(redis: RedisClient, script = limiterScript()): RedisCounter {
  const runLimiter = bindScript(redis, script);
  const runCharge = bindScript(redis, chargeScript());
  const runEpoch = bindScript(redis, epochScript());

  /** Requests that wait for the end of this turn of the event loop. */
  let batches: Batch[] = [];

  const run = (
    checks: readonly LimitCheck[],
    charge: number,
    claim: EpochClaim,
  ): Promise<LimitVerdict | undefined> => {
    if (batches.length === 0) setImmediate(sendBatches);
    let batch = batches.find((one) => mayJoin(one, checks, claim));
    if (!batch) {
      batch = { claim, limits: checks, keys: new Map(), requests: [], waiting: [] };
      batches.push(batch);
    }
    const { keys, requests, waiting } = batch;
    requests.push(charge);
    for (const { space, subject } of checks) {
      const key = space + subject;
      const at = keys.get(key) ?? keys.size + 1;
      keys.set(key, at);
      requests.push(at);
    }
    const verdict = Promise.withResolvers<LimitVerdict | undefined>();
    waiting.push(verdict);
    return verdict.promise;
  };

  const sendBatches = () => {
    const full = batches;
    batches = [];
    for (const batch of full) void sendBatch(batch);
  };

  const sendBatch = async ({ claim, limits, keys, requests, waiting }: Batch) => {
    try {
      const numbers = await runLimiter<number[]>(
        [...keys.keys(), epochKey(limits[0]?.space ?? "")],
        [
          claim.epoch,
          claim.confirmed ? "1" : "0",
          JSON.stringify(requests),
          ...limits.flatMap(({ limit, window_s }) => [`${limit}`, `${window_s}`]),
        ],
      );
      const isStale = numbers[0] === -1;
      for (const [index, { resolve }] of waiting.entries()) {
        resolve(isStale ? undefined : readVerdict(numbers, index, limits.length));
      }
    } catch (thrown) {
      for (const { reject } of waiting) reject(thrown);
    }
  };

  const check = async (checks: readonly LimitCheck[]): Promise<LimitVerdict> =>
    (await run(checks, 0, ANY_EPOCH)) ?? { admitted: false, counts: [] };

  return {
    take: (checks, claim = ANY_EPOCH) => run(checks, checks[0]?.cost ?? 1, claim),
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
      await runCharge(keys, [`${first.window_s}`, ...slots]);
    },
    async epoch(known, charging) {
      const [epoch, opensInUs] = await runEpoch<[string, number]>(
        ["portcullis:epoch"],
        [known, charging ? "1" : "0", `${GRACE_MS * 1000}`],
      );
      return { epoch, opens_in_ms: opensInUs / 1000 };
    },
    async listUsage(counter) {
      const { space } = counter;
      const { keys, complete } = await scanKeys(redis, space);
      const items: SubjectUsage[] = [];
      for (let at = 0; at < keys.length; at += KEYS_PER_CALL) {
        const batch = keys.slice(at, at + KEYS_PER_CALL);
        const checks = batch.map((key) => ({ ...counter, subject: key.slice(space.length) }));
        const { counts } = await check(checks);
        for (const [index, { subject }] of checks.entries()) {
          const count = counts[index];
          if (count?.used) items.push({ subject, ...count });
        }
      }
      return { items, complete };
    },
    forget: async (space, subject) => (await redis.del(space + subject)) > 0,
  };
}

/** Requests of one gateway with the same limits: one script call. */
interface Batch {
  claim: EpochClaim;
  /** Checks of the first request. */
  limits: readonly LimitCheck[];
  /** Index of each key, from 1. */
  keys: Map<string, number>;
  /** As the script reads them. */
  requests: number[];
  waiting: PromiseWithResolvers<LimitVerdict | undefined>[];
}

/** Keeps a script call below a few milliseconds: Redis serves no other client meanwhile. */
const MAX_BATCH = 100;

function mayJoin(
  { claim, limits, waiting }: Batch,
  checks: readonly LimitCheck[],
  { epoch, confirmed }: EpochClaim,
): boolean {
  if (waiting.length === MAX_BATCH || limits.length !== checks.length) return false;
  if (claim.epoch !== epoch || claim.confirmed !== confirmed) return false;
  return checks.every(({ space, limit }, at) => {
    const first = limits[at];
    // The space names the gateway and the window.
    return first?.space === space && first.limit === limit;
  });
}

function readVerdict(numbers: readonly number[], index: number, count: number): LimitVerdict {
  const start = index * (2 * count + 1);
  return {
    admitted: numbers[start] === 1,
    counts: Array.from({ length: count }, (_, at) => ({
      used: numbers[start + 2 * at + 1] ?? 0,
      frees_in_ms: (numbers[start + 2 * at + 2] ?? 0) / 1000,
    })),
  };
}

const ANY_EPOCH: EpochClaim = { epoch: "", confirmed: false };

/**
 * Nothing is admitted during the grace period of a new epoch: within it every live node notices that the data
 * is lost, and charges the requests that it admitted.
 */
const GRACE_MS = 500;

function bindScript(redis: RedisClient, script: string) {
  const sha = new Bun.CryptoHasher("sha1").update(script).digest("hex");
  return async <T>(keys: readonly string[], parameters: readonly string[]): Promise<T> => {
    const rest = [`${keys.length}`, ...keys, ...parameters];
    try {
      return await redis.send("EVALSHA", [sha, ...rest]);
    } catch (thrown) {
      // A restarted server has lost the script; EVAL loads it again.
      if (!(thrown instanceof Error && thrown.message.startsWith("NOSCRIPT"))) throw thrown;
      return await redis.send("EVAL", [script, ...rest]);
    }
  };
}

/** Keys per script call. */
const KEYS_PER_CALL = 500;
const KEYS_PER_SCAN = 1_000;
/** Caps a scan, which visits all keys of the server, at half a million keys: one to two seconds. */
const MAX_SCANS = 500;

async function scanKeys(redis: RedisClient, space: string) {
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
