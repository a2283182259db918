/** Checks the guarantee of the rate limiter with random traffic against an oracle that counts every request. */
import { afterAll, describe, expect, test } from "bun:test";
import { RedisClient } from "bun";
import { elapsedMs } from "../../src/lib/time/clock.ts";
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
  requests.map(({ at, checks }) => memory.take(checks, at));

/** Sets the clock before the requests of each time, which are one batch; one connection processes commands in order. */
async function inRedis(requests: readonly Request[]): Promise<LimitVerdict[]> {
  const verdicts: Promise<LimitVerdict | undefined>[] = [];
  let clock = Number.NaN;
  for (const { wall, checks } of requests) {
    if (wall !== clock) {
      await new Promise(setImmediate); // sends the batch before the clock moves
      redis.send("SET", ["clock", `${wall}`]);
      clock = wall;
    }
    verdicts.push(shared.take(checks));
  }
  return (await Promise.all(verdicts)).map((verdict) => verdict ?? expect.unreachable());
}

async function brokenPatterns(
  patterns: number,
  run: (requests: readonly Request[]) => Promise<LimitVerdict[]>,
  check: (requests: readonly Request[], verdicts: readonly LimitVerdict[]) => string[],
  clock: "steady" | "stepping" = "steady",
): Promise<string[]> {
  const random = seeded(SEED);
  const found: string[] = [];
  for (let pattern = 0; pattern < patterns; pattern++) {
    const requests = traffic(random, `${clock}${pattern}`, clock);
    for (const violation of check(requests, await run(requests))) {
      found.push(`pattern ${pattern}, ${violation}`);
    }
  }
  return found;
}

describe("no interval of one window has more requests than the limit, and none is rejected early", () => {
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
    return requests.map(({ at, checks }) => {
      if (random.below(100) > 0) return counter.take(checks, at);
      return { ...counter.check(checks, at), admitted: true };
    });
  };

  expect((await brokenPatterns(50, forgetful, violations)).length).toBeGreaterThan(0);
});

/**
 * Finds windows with more admitted requests than the limit. A clock that was set back shows some times twice; between
 * two requests at least as much real time passes as the clock moves forward, so this time is a safe lower bound.
 */
function overAdmitted(requests: readonly Request[], verdicts: readonly LimitVerdict[]): string[] {
  const oracle = createOracle();
  let [time, wall] = [0, requests[0]?.wall ?? 0];
  return requests.flatMap((request, index) => {
    time += Math.max(0, request.wall - wall);
    wall = request.wall;
    if (!verdicts[index]?.admitted) return [];
    oracle.admit(request.checks, time);
    return request.checks
      .filter((check) => oracle.count(check, time, check.window_s * 1000) > check.limit)
      .map(() => `request ${index}: more than the limit inside a window`);
  });
}

test.each([
  ["in memory", inMemory],
  ["in Redis", inRedis],
])(
  "after a limit is lowered, frees_in_ms is the time until a slot becomes available, %s",
  async (_, run) => {
    const check = { space: "lowered:", subject: "s", limit: 4, window_s: 60 };
    const at = (after: number, limit: number) => {
      const time = 1_760_000_000_000 + after;
      return { at: time, wall: time, checks: [{ ...check, limit }] };
    };

    const verdicts = await run([at(0, 4), at(1, 4), at(10_000, 4), at(20_000, 4), at(30_000, 2)]);

    const { admitted, counts } = verdicts.at(-1) ?? expect.unreachable();
    expect([admitted, counts[0]?.used]).toEqual([false, 4]);
    // Three must expire; the third was admitted 10 s after the first.
    expect(counts[0]?.frees_in_ms).toBeWithin(40_000, 40_000 + 60_000 / 64 + 1);
  },
);

test("a clock that is set back by a day delays no subject by more than one window", async () => {
  const check = { space: "back:", subject: "s", limit: 2, window_s: 60 };
  const day = 86_400_000;
  const at = (wall: number) => ({ at: wall, wall, checks: [check] });
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

test("a key in Redis outlives the requests that it counts", async () => {
  const check = { space: "expiry:", subject: "s", limit: 9, window_s: 60 };
  const takeAt = (after: number) => {
    const time = 1_760_000_040_000 + after;
    return inRedis([{ at: time, wall: time, checks: [check] }]);
  };

  await takeAt(0);
  await takeAt(10); // the same part of the window
  expect(await redis.pttl("expiry:s")).toBeGreaterThan(60_000);

  await redis.pexpire("expiry:s", 5_000);
  await takeAt(1_000); // the next part
  expect(await redis.pttl("expiry:s")).toBeGreaterThan(60_000);
});

describe("requests in Redis are counted by their age", () => {
  const counter = createRedisCounter(redis);
  const window_s = 60;
  /** Returns the seconds until the usage is below each limit, rounded to the age of the request that must expire. */
  const secondsToFree = async (space: string, limits: number[]) => {
    const verdicts = await Promise.all(
      limits.map((limit) => counter.check([{ space, subject: "s", limit, window_s }])),
    );
    return verdicts.map(({ counts }) => Math.round((counts[0]?.frees_in_ms ?? 0) / 5_000) * 5);
  };

  test("when a node charges what it admitted, in several calls and in any order", async () => {
    const space = "charged:";
    const charge = (ages: number[]) =>
      counter.charge([
        {
          space,
          subject: "s",
          window_s,
          slots: ages.map((age) => ({ latest_ms: elapsedMs() - age * 1_000, count: 1 })),
        },
      ]);

    await counter.take([{ space, subject: "s", limit: 9, window_s }]);
    await charge([20, 45]);
    await charge([30, 0, 45, 70]);

    expect(await secondsToFree(space, [6, 5, 4, 3, 2, 1])).toEqual([15, 15, 30, 40, 60, 60]);
  });

  test("when version 0.1.0 wrote them", async () => {
    const space = "cells:";
    const now = Date.now() * 1_000;
    const partAt = (age: number) => Math.floor((now - age * 1_000_000) / (window_s * 15_625));
    const value = Buffer.alloc(288);
    for (const [index, field] of [now, 0, partAt(40)].entries()) {
      value.writeDoubleLE(field, index * 8);
    }
    value.writeUInt32LE(6, 24);
    for (const [age, count] of [
      [40, 1],
      [15, 2],
      [0, 3],
    ] as const) {
      value.writeUInt32LE(count, 28 + (partAt(age) % 65) * 4);
    }
    await redis.set(`${space}s`, value);

    expect(await secondsToFree(space, [6, 5, 4, 3, 2])).toEqual([20, 45, 45, 60, 60]);
    const taken = await counter.take([{ space, subject: "s", limit: 7, window_s }]);
    expect(taken?.counts[0]?.used).toBe(7);
    expect(await secondsToFree(space, [7, 6, 5, 4, 3, 2])).toEqual([20, 45, 45, 60, 60, 60]);
  });
});
