/** Limits hold when Redis is flushed or restarts empty: live nodes charge it again with what they admitted. */
import { describe, expect, test } from "bun:test";
import { RedisClient } from "bun";
import { type Kit, startKit } from "../kit/kit.ts";
import { seeded } from "../kit/random.ts";
import { until } from "../kit/until.ts";
import { type Limits, rateHeaders, startLimited } from "./limited.ts";
import { privateRedis } from "./private-redis.ts";

const limit = (count: number, window = "1h") => ({ limit: count, window });

/** Two nodes of one installation on one Redis, and a consumer with these limits. */
async function twoNodes(limits: Limits) {
  const stack = new AsyncDisposableStack();
  const redis = stack.use(await privateRedis());
  const client = new RedisClient(redis.url);
  stack.defer(() => client.close());
  const settings = { REDIS_URL: redis.url };
  const one = stack.use(await startKit({ settings }));
  const { database_url, data_dir } = one;
  const limited = stack.use(await startLimited(one, limits));
  const other = stack.use(await startKit({ database_url, data_dir, settings }));
  const ask = (node: Kit, user = "jane") =>
    fetch(`${node.url}/${limited.slug}/v1/models`, {
      headers: { "x-ag-api-key": limited.key, "x-user-id": user },
    });
  return {
    ...{ redis, one, other, limited, ask },
    flush: () => client.send("FLUSHALL", []),
    statuses: async (node: Kit, count: number, user?: string) => {
      const found: number[] = [];
      for (let left = count; left > 0; left--) found.push((await ask(node, user)).status);
      return found;
    },
    restartEmpty: async () => {
      await redis.kill();
      await until(() => [one, other].every((node) => logged(node, "rate_limit_store_lost")));
      const degraded = await degradedOf(one);
      await redis.start();
      await until(() => [one, other].every((node) => logged(node, "rate_limit_store_back")));
      return degraded;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const degradedOf = async (node: Kit): Promise<string[] | undefined> =>
  (await (await fetch(`${node.url}/readyz`)).json()).degraded;

const logged = (node: Kit, event: string) => node.lines.some((line) => line.includes(event));

describe("requests that both nodes admitted still count", () => {
  test("after FLUSHALL", async () => {
    await using nodes = await twoNodes({ limits: { per_user: limit(6), global: limit(100) } });
    await nodes.statuses(nodes.one, 2);
    await nodes.statuses(nodes.other, 3);

    await nodes.flush();

    expect(await nodes.statuses(nodes.one, 2)).toEqual([200, 429]);
    expect(await nodes.statuses(nodes.other, 1)).toEqual([429]);
    const other = await nodes.ask(nodes.other, "mary");
    expect(rateHeaders(other, "global").slice(0, 2)).toEqual([100, 93]);
  });

  test("after a second FLUSHALL", async () => {
    await using nodes = await twoNodes({ limits: { per_user: limit(5) } });
    await nodes.statuses(nodes.one, 2);
    await nodes.flush();
    await nodes.statuses(nodes.other, 2);

    await nodes.flush();

    expect(await nodes.statuses(nodes.other, 2)).toEqual([200, 429]);
  });

  test("after a restart without data, during which the nodes report that they are degraded", async () => {
    await using nodes = await twoNodes({
      limits: { per_user: limit(6) },
      on_store_error: "closed",
    });
    await nodes.statuses(nodes.one, 2);
    await nodes.statuses(nodes.other, 3);

    const degraded = await nodes.restartEmpty();

    expect(degraded).toEqual([expect.stringContaining("Redis")]);
    expect(await degradedOf(nodes.one)).toBeUndefined();
    expect(await nodes.statuses(nodes.one, 2)).toEqual([200, 429]);
    expect(await nodes.statuses(nodes.other, 1)).toEqual([429]);
  });

  test("when it was admitted without Redis, and Redis kept its data", async () => {
    await using nodes = await twoNodes({ limits: { per_user: limit(6) } });
    await nodes.statuses(nodes.one, 1);
    nodes.redis.freeze();
    const alone = await nodes.ask(nodes.one);
    nodes.redis.thaw();
    await until(() => logged(nodes.one, "rate_limit_store_back"));

    expect(alone.headers.get("x-ratelimit-store")).toBe("local");
    const next = await nodes.ask(nodes.other);
    // A request whose charge Redis did not confirm may be counted twice, never not at all.
    expect(rateHeaders(next, "per_user")[1]).toBeWithin(2, 4);
  });
});

test("a subject that a limit blocked stays blocked after FLUSHALL, and others can still be blocked", async () => {
  await using nodes = await twoNodes({
    limits: { per_user: limit(2) },
    actions: { type: "block" },
  });
  await nodes.statuses(nodes.one, 3, "bad");
  await nodes.statuses(nodes.one, 2, "next");

  await nodes.flush();

  expect(await nodes.statuses(nodes.one, 1, "bad")).toEqual([429]);
  expect(await nodes.statuses(nodes.other, 1, "next")).toEqual([429]);
  const blocked = async () => {
    const reply = await nodes.one.get(`${nodes.limited.path}/limits/blocks`);
    const { items } = (await reply.json()) as { items: { subject: string }[] };
    return items.map(({ subject }) => subject).toSorted();
  };
  await until(async () => (await blocked()).length === 2);
  expect(await blocked()).toEqual(["bad", "next"]);
});

test("open rejects nothing while Redis is unavailable, also after several outages", async () => {
  await using redis = await privateRedis();
  await using running = await startKit({ settings: { REDIS_URL: redis.url } });
  await using limited = await startLimited(running, {
    limits: { global: limit(1) },
    on_store_error: "open",
  });
  const count = (event: string) => running.lines.filter((line) => line.includes(event)).length;
  expect(await limited.statuses(1)).toEqual([200]);
  await redis.kill();
  await until(() => count("rate_limit_store_lost") === 1);
  await redis.start();
  await until(() => count("rate_limit_store_back") === 1);
  await redis.kill();

  expect(await limited.statuses(3)).toEqual([200, 200, 200]);
});

test("a 503 because Redis is unavailable has the rate-limit headers", async () => {
  await using redis = await privateRedis();
  await using running = await startKit({ settings: { REDIS_URL: redis.url } });
  await using limited = await startLimited(running, {
    limits: { global: limit(5) },
    on_store_error: "closed",
  });
  await limited.ask();
  await redis.kill();

  const refused = await limited.ask();

  expect([refused.status, rateHeaders(refused, "global").slice(0, 2)]).toEqual([503, [5, 4]]);
});

test.each([
  ["flushed", "local"],
  ["restarted empty", "closed"],
])(
  "no interval of one window has more than the limit while Redis is %s at random",
  async (how, on_store_error) => {
    const [LIMIT, WINDOW_S] = [12, 2];
    await using nodes = await twoNodes({
      limits: { per_user: limit(LIMIT, `${WINDOW_S}s`) },
      on_store_error,
    });
    const random = seeded(31);
    const admitted: { user: string; sent: number; received: number }[] = [];
    let completed = 0;
    const end = performance.now() + 5_000;
    const client = async (node: Kit, user: string) => {
      while (performance.now() < end) {
        const sent = performance.now();
        const { status } = await nodes.ask(node, user);
        completed += 1;
        if (status === 200) admitted.push({ user, sent, received: performance.now() });
        await Bun.sleep(random.below(25));
      }
    };
    const harm = async () => {
      while (performance.now() < end - 1_500) {
        const next = completed + 20 + random.below(80);
        await until(() => completed >= next);
        if (how === "flushed") await nodes.flush();
        else {
          await nodes.redis.kill();
          await nodes.redis.start();
        }
      }
    };
    const users = ["a", "b"];
    await Promise.all([
      harm(),
      ...users.flatMap((user) => [client(nodes.one, user), client(nodes.other, user)]),
    ]);

    // The moment of admission lies between the two times: only what is certainly inside counts.
    const worst = admitted.map(({ user, received }) => {
      const inside = admitted.filter(
        (one) =>
          one.user === user && one.received <= received && one.sent > received - WINDOW_S * 1000,
      );
      return inside.length;
    });
    expect(Math.max(...worst)).toBeLessThanOrEqual(LIMIT);
    expect(admitted.length).toBeGreaterThan(2 * LIMIT);
  },
);
