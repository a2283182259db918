/** On Redis Cluster a script may only touch keys of one slot: the hash tag keeps a gateway's together. */
import { expect, test } from "bun:test";
import { RedisClient } from "bun";
import { spaceName } from "../../src/plugins/rate-limiter/counter.ts";
import { createRedisCounter } from "../../src/plugins/rate-limiter/redis-counter.ts";
import { privateRedis } from "./private-redis.ts";

const TYPES = ["per_fingerprint", "per_ip", "per_user", "global"] as const;

test("all four limit types are counted in one call on a Redis Cluster", async () => {
  await using server = await privateRedis(["--cluster-enabled", "yes"]);
  const redis = new RedisClient(server.url);
  await redis.send("CLUSTER", ["ADDSLOTSRANGE", "0", "16383"]);
  for (let tries = 0; tries < 200; tries++) {
    if (String(await redis.send("CLUSTER", ["INFO"])).includes("cluster_state:ok")) break;
    await Bun.sleep(20);
  }
  const counter = createRedisCounter(redis);
  const asks = TYPES.map((type) => ({
    space: spaceName("0198c0de-0000-7000-8000-000000000000", type, 60),
    // Braces in a subject must not move its key to another slot.
    subject: `{${type}}`,
    limit: 2,
    window_s: 60,
  }));

  const admitted = [
    (await counter.take(asks))?.admitted,
    (await counter.take(asks))?.admitted,
    (await counter.take(asks))?.admitted,
  ];
  const scattered = createRedisCounter(redis).take(asks.map((ask) => ({ ...ask, space: "" })));

  expect(admitted).toEqual([true, true, false]);
  // The server does enforce it: the same keys without the tag are refused.
  expect(scattered).rejects.toThrow("CROSSSLOT");
  await scattered.catch(() => {});
  redis.close();
});
