/** The promise of the rate limiter, taken literally: random traffic against an oracle that counts by hand. */
import { afterAll, describe, expect, test } from "bun:test";
import { RedisClient } from "bun";
import type { LimitVerdict } from "../../src/plugins/rate-limiter/counter.ts";
import { createMemoryCounter } from "../../src/plugins/rate-limiter/memory-counter.ts";
import { createRedisCounter } from "../../src/plugins/rate-limiter/redis-counter.ts";
import { limiterScript } from "../../src/plugins/rate-limiter/redis-script.ts";
import { seeded } from "../kit/random.ts";
import { freshRedis } from "../kit/services.ts";
import { createOracle, type Request, traffic, violations } from "./traffic.ts";

const SEED = 20_261_101;
/** The script reads the time from a key, so that a test can set the clock. */
const CLOCK = "local now = redis.call('GET', 'clock') * 1000";

const server = await freshRedis();
const redis = new RedisClient(server.url);
afterAll(async () => {
  redis.close();
  await server[Symbol.asyncDispose]();
});

const memory = createMemoryCounter();
const shared = createRedisCounter(redis, limiterScript(CLOCK));
await redis.send("SCRIPT", ["LOAD", limiterScript(CLOCK)]);

const inMemory = async (requests: readonly Request[]): Promise<LimitVerdict[]> =>
  requests.map(({ at, asks }) => memory.take(asks, at));

/** One connection answers in order: the clock is set before each request. */
const inRedis = (requests: readonly Request[]): Promise<LimitVerdict[]> =>
  Promise.all(
    requests.map(async ({ wall, asks }) => {
      redis.send("SET", ["clock", `${wall}`]);
      return (await shared.take(asks)) ?? expect.unreachable();
    }),
  );

async function brokenPatterns(
  patterns: number,
  run: (requests: readonly Request[]) => Promise<LimitVerdict[]>,
  judge: (requests: readonly Request[], verdicts: readonly LimitVerdict[]) => string[],
  clock: "steady" | "stepping" = "steady",
): Promise<string[]> {
  const random = seeded(SEED);
  const found: string[] = [];
  for (let pattern = 0; pattern < patterns; pattern++) {
    const requests = traffic(random, `${clock}${pattern}`, clock);
    for (const violation of judge(requests, await run(requests))) {
      found.push(`pattern ${pattern}, ${violation}`);
    }
  }
  return found;
}

describe("no interval of one window holds more than the limit, and none is refused early", () => {
  test("in memory, 3,000 patterns", async () => {
    expect(await brokenPatterns(3_000, inMemory, violations)).toEqual([]);
  });

  test("in Redis, 1,000 patterns", async () => {
    expect(await brokenPatterns(1_000, inRedis, violations)).toEqual([]);
  });

  test("in Redis while its clock is set back and forward, 700 patterns", async () => {
    expect(await brokenPatterns(700, inRedis, overAdmitted, "stepping")).toEqual([]);
  });
});

test("the oracle finds a limiter that forgets one request in a hundred", async () => {
  const random = seeded(SEED);
  const forgetful = async (requests: readonly Request[]) => {
    const counter = createMemoryCounter();
    return requests.map(({ at, asks }) => {
      if (random.below(100) > 0) return counter.take(asks, at);
      return { ...counter.check(asks, at), admitted: true };
    });
  };

  expect((await brokenPatterns(50, forgetful, violations)).length).toBeGreaterThan(0);
});

/**
 * A clock that was set back shows some times twice. Between two requests at least as much real time
 * has passed as the clock went forward, so what holds on this time holds on the real one.
 */
function overAdmitted(requests: readonly Request[], verdicts: readonly LimitVerdict[]): string[] {
  const oracle = createOracle();
  let [time, wall] = [0, requests[0]?.wall ?? 0];
  return requests.flatMap((request, index) => {
    time += Math.max(0, request.wall - wall);
    wall = request.wall;
    if (!verdicts[index]?.admitted) return [];
    oracle.admit(request.asks, time);
    return request.asks
      .filter((ask) => oracle.count(ask, time, ask.window_s * 1000) > ask.limit)
      .map(() => `request ${index}: more than the limit inside a window`);
  });
}

test.each([
  ["in memory", inMemory],
  ["in Redis", inRedis],
])("a limit that was lowered tells when a slot really frees, %s", async (_, run) => {
  const ask = { space: "lowered:", subject: "s", limit: 4, window_s: 60 };
  const at = (after: number, limit: number) => {
    const time = 1_760_000_000_000 + after;
    return { at: time, wall: time, asks: [{ ...ask, limit }] };
  };

  const verdicts = await run([at(0, 4), at(1, 4), at(10_000, 4), at(20_000, 4), at(30_000, 2)]);

  const { admitted, counts } = verdicts.at(-1) ?? expect.unreachable();
  expect([admitted, counts[0]?.used]).toEqual([false, 4]);
  // Three have to go; the third came 10 s after the first.
  expect(counts[0]?.frees_in_ms).toBeWithin(40_000, 40_000 + 60_000 / 64 + 1);
});

test("a clock set back by a day holds nobody for longer than one window more", async () => {
  const ask = { space: "back:", subject: "s", limit: 2, window_s: 60 };
  const day = 86_400_000;
  const at = (wall: number) => ({ at: wall, wall, asks: [ask] });
  const now = 1_760_000_000_000;

  const verdicts = await inRedis([
    at(now),
    at(now + 1),
    at(now + 2),
    at(now - day),
    at(now - day + 59_000),
    at(now - day + 61_001),
  ]);

  expect(verdicts.map(({ admitted }) => admitted)).toEqual([true, true, false, false, false, true]);
});
