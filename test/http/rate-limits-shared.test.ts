/** Rate limits on several nodes: one count in Redis, and behavior while Redis is unavailable or slow (spec 8). */
import { afterAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { RedisClient } from "bun";
import { adminClient } from "../kit/admin-client.ts";
import { type Kit, OWNER_TOKEN, sharedKit, startKit } from "../kit/kit.ts";
import { readMetrics } from "../kit/metrics.ts";
import { killWorker, type ProgramOptions, startProgram } from "../kit/program.ts";
import { freshDatabase, freshRedis } from "../kit/services.ts";
import { until } from "../kit/until.ts";
import {
  entryOf,
  passing,
  rateHeaders,
  startLimited,
  startWithPlugins,
} from "../limiter/limited.ts";
import { privateRedis } from "../limiter/private-redis.ts";

const limit = (count: number, window = "1h") => ({ limit: count, window });
const key = `k1:${randomBytes(32).toString("base64")}`;

interface Programs {
  /** Base URLs, used in turn. */
  urls: () => string[];
  /** Kills one of the processes; the returned function resolves when another has taken its place. */
  killOne: () => Promise<() => Promise<void>>;
}

/** Two nodes with one database, one key and one Redis. */
async function twoNodes(stack: AsyncDisposableStack): Promise<Programs> {
  const database = stack.use(await freshDatabase("postgres"));
  const redis = stack.use(await freshRedis());
  const options: ProgramOptions = {
    settings: { DATABASE_URL: database.url, PORTCULLIS_KEYS: key, REDIS_URL: redis.url },
  };
  const one = stack.use(await startProgram(options));
  let other = stack.use(await startProgram(options));
  return {
    urls: () => [one.url, other.url],
    killOne: async () => {
      await other.kill();
      return async () => {
        other = stack.use(await startProgram(options));
      };
    },
  };
}

/** Two workers of one node on SQLite, without Redis. */
async function twoWorkers(stack: AsyncDisposableStack): Promise<Programs> {
  const program = stack.use(await startProgram({ args: ["--workers", "2"] }));
  return {
    urls: () => [program.url],
    killOne: async () => {
      const replaced = killWorker(program);
      return () => replaced;
    },
  };
}

/** A consumer with a limit of 100. */
async function startPrograms(open: (stack: AsyncDisposableStack) => Promise<Programs>) {
  const stack = new AsyncDisposableStack();
  const { urls, killOne } = await open(stack);
  const [first = ""] = urls();
  const { call, make } = adminClient(first, OWNER_TOKEN);
  const gateway = await make("/v1/gateways", {
    name: "g",
    required_plugins: [entryOf({ limits: { global: limit(100) } })],
  });
  const path = `/v1/gateways/${gateway.id}`;
  const consumer = await make<{ id: string; slug: string }>(`${path}/consumers`, { name: "c" });
  const made = await make<{ key: string }>(`${path}/consumers/${consumer.id}/keys`, { name: "k" });
  const ask = (index: number) =>
    fetch(`${urls()[index % urls().length]}/${consumer.slug}/v1/models`, {
      headers: { "x-ag-api-key": made.key },
      // On a kept connection, the client repeats a request that is cut off, and both count.
      keepalive: false,
    });
  const known = async (url: string) => {
    const reply = await fetch(`${url}/${consumer.slug}/v1/models`);
    return reply.status === 401;
  };
  for (const url of urls()) await until(() => known(url));
  const used = async () => {
    const reply = await call("GET", `${path}/limits/state`);
    return ((await reply.json()) as { items: { used: number }[] }).items[0]?.used;
  };
  return { killOne, ask, used, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

describe.each([
  ["two nodes with Redis", twoNodes],
  ["two workers without Redis", twoWorkers],
])("%s", (_, open) => {
  test("exactly 100 of 2,000 parallel calls are admitted, also after one is killed", async () => {
    await using programs = await startPrograms(open);
    let [passed, broken] = [0, 0];
    const fire = async (from: number, to: number) => {
      const calls = Array.from({ length: to - from }, async (_, index) => {
        try {
          const reply = await programs.ask(from + index);
          if (reply.status === 200) passed += 1;
          await reply.arrayBuffer();
        } catch {
          broken += 1;
        }
      });
      await Promise.all(calls);
    };

    await fire(0, 40);
    const cut = fire(40, 80);
    const replaced = await programs.killOne();
    await cut;
    await replaced();
    const brokenByKill = broken;
    await fire(80, 2_000);

    // A request that was cut off may have been admitted; no other one is missing or too many.
    expect(passed).toBeWithin(100 - brokenByKill, 101);
    expect(await programs.used()).toBe(100);
    expect(broken).toBe(brokenByKill);
  });
});

const shared = await freshRedis();
const kit = sharedKit({ settings: { REDIS_URL: shared.url, TRUSTED_PROXIES: "127.0.0.1" } });
// After the kit has stopped: what it writes last would make the number look taken.
afterAll(() => shared[Symbol.asyncDispose]());

test("with Redis all types are checked before any is charged", async () => {
  await using limited = await startLimited(await kit(), {
    limits: { global: limit(9), per_ip: limit(1) },
  });
  await limited.from("203.0.113.1");

  const refused = await limited.from("203.0.113.1");

  expect(await refused.json()).toMatchObject({ error: "per_ip rate limit exceeded" });
  expect(rateHeaders(refused, "global").slice(0, 2)).toEqual([9, 8]);
  expect(refused.headers.get("x-ratelimit-store")).toBeNull();
});

test("every key in Redis expires, and reveals nothing of the parts of a fingerprint", async () => {
  await using limited = await startLimited(await kit(), { limits: { per_fingerprint: limit(9) } });
  await limited.from("203.0.113.77", { "user-id": "jane@example.com", "user-agent": "agent-7" });
  using redis = closing(new RedisClient(shared.url));

  const keys = await redis.client.keys(`portcullis:{${limited.gateway.id}}:*`);
  const [name = "", epoch = ""] = keys.toSorted((one, other) => other.length - one.length);
  const value = Buffer.from((await redis.client.getBuffer(name)) ?? []).toString("latin1");

  expect(keys.length).toBe(2);
  expect(await redis.client.ttl(epoch)).toBeWithin(86_000, 86_401);
  expect(await redis.client.ttl(name)).toBeWithin(3_590, 3_660);
  expect(name + value).not.toMatch(/jane|203\.0\.113|agent-7/);
  expect(Number(await redis.client.send("MEMORY", ["USAGE", name]))).toBeLessThan(1_024);
});

test("a Redis server that lost the script gets it again", async () => {
  // Of its own: other tests count on their scripts.
  await using server = await privateRedis();
  await using running = await startKit({ settings: { REDIS_URL: server.url } });
  await using limited = await startLimited(running, { limits: { per_ip: limit(2) } });
  using redis = closing(new RedisClient(server.url));
  await limited.ask();

  await redis.client.send("SCRIPT", ["FLUSH"]);

  expect(await limited.statuses(2)).toEqual([200, 429]);
});

test("usage is read from Redis, and a reset applies to all nodes", async () => {
  const running = await kit();
  await using limited = await startLimited(running, { limits: { per_user: limit(1) } });
  await limited.ask({ "user-id": "jane" });
  const state = `${limited.path}/limits/state`;

  const before = await (await running.get(state)).json();
  await running.delete(`${state}/per_user/jane`);

  expect(before).toMatchObject({
    store: "redis",
    note: null,
    items: [{ type: "per_user", subject: "jane", used: 1, remaining: 0 }],
  });
  expect(await limited.statuses(2, { "user-id": "jane" })).toEqual([200, 429]);
});

describe("while Redis is unavailable", () => {
  const lonely = async (redis: { url: string }) => startKit({ settings: { REDIS_URL: redis.url } });

  test("a node continues from what it admitted, and no window exceeds the limit when Redis is back", async () => {
    await using redis = await privateRedis();
    await using running = await lonely(redis);
    await using limited = await startLimited(running, { limits: { global: limit(100) } });

    const before = await passing(60, () => limited.ask());
    await redis.kill();
    const during = await passing(60, () => limited.ask());
    const local = await limited.ask();
    await redis.start();
    await logged(running, "rate_limit_store_back");
    const after = await passing(60, () => limited.ask());

    expect([before, during, after]).toEqual([60, 40, 0]);
    expect(local.headers.get("x-ratelimit-store")).toBe("local");
    expect(running.lines.filter((line) => line.includes("rate_limit_store_lost")).length).toBe(1);
  });

  test("metrics report it, and count the requests that this node counted", async () => {
    await using redis = await privateRedis();
    await using running = await lonely(redis);
    await using limited = await startLimited(running, { limits: { per_ip: limit(3) } });
    const now = async () => {
      const metrics = await readMetrics(running.url);
      return [
        'checks_total{store="redis"}',
        'checks_total{store="local"}',
        'refusals_total{type="per_ip"}',
        "store_local",
        "subjects",
      ].map((name) => metrics.get(`portcullis_rate_limit_${name}`));
    };

    await limited.statuses(2);
    const before = await now();
    await redis.kill();
    await limited.statuses(2);
    const during = await now();
    await redis.start();
    await logged(running, "rate_limit_store_back");
    const after = await now();

    expect([before, during, after]).toEqual([
      [2, 0, 0, 0, 1],
      [2, 2, 1, 1, 1],
      [2, 2, 1, 0, 1],
    ]);
  });

  test("a client that sends continuously is not admitted less when Redis is back", async () => {
    await using redis = await privateRedis();
    await using running = await lonely(redis);
    await using limited = await startLimited(running, { limits: { global: limit(2, "1s") } });
    await redis.kill();
    await limited.ask();
    await redis.start();
    await logged(running, "rate_limit_store_back");

    const found: number[] = [];
    for (const end = performance.now() + 2_500; performance.now() < end; await Bun.sleep(20)) {
      found.push((await limited.ask()).status);
    }

    // Two in each of the first two windows and the third, as far as it went.
    expect(found.filter((status) => status === 200).length).toBeWithin(4, 7);
  });

  test("open admits every request, and closed rejects with 503", async () => {
    await using redis = await privateRedis();
    await using running = await lonely(redis);
    const one = { global: limit(1) };
    await using open = await startLimited(running, { limits: one, on_store_error: "open" });
    await using closed = await startLimited(running, { limits: one, on_store_error: "closed" });
    await redis.kill();

    expect(await open.statuses(3)).toEqual([200, 200, 200]);
    const refused = await closed.ask();

    expect(refused.status).toBe(503);
    expect(await refused.json()).toMatchObject({ error: { code: "rate_limit_unavailable" } });
  });

  test("an open entry neither reports nor blocks a request that a local entry rejects", async () => {
    await using redis = await privateRedis();
    await using running = await lonely(redis);
    const block = { type: "block", retry_after: "9" };
    await using limited = await startWithPlugins(running, [
      entryOf({ limits: { per_user: limit(1) }, actions: block, on_store_error: "open" }),
      entryOf({
        limits: { per_user: limit(2) },
        actions: { type: "reject", retry_after: "7" },
        on_store_error: "local",
      }),
    ]);
    await redis.kill();

    expect(await limited.statuses(2)).toEqual([200, 200]);
    const refused = await limited.ask();

    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "7"]);
    expect(await (await running.get(`${limited.path}/limits/blocks`)).json()).toMatchObject({
      items: [],
    });
  });

  test("a Redis that hangs delays a few requests, not all", async () => {
    await using redis = await privateRedis();
    await using running = await lonely(redis);
    await using limited = await startLimited(running, { limits: { global: limit(1_000) } });
    await limited.ask();
    redis.freeze();
    const first = await milliseconds(() => limited.ask());

    const later = await milliseconds(() => limited.statuses(20));
    redis.thaw();
    await logged(running, "rate_limit_store_back");

    expect(first).toBeWithin(200, 3_000);
    expect(later).toBeLessThan(2_000); // had each waited as the first did, at least four seconds
    expect((await limited.ask()).headers.get("x-ratelimit-store")).toBeNull();
  });

  test("the program starts and counts locally", async () => {
    await using running = await lonely({ url: "redis://127.0.0.1:1" });
    await using limited = await startLimited(running, { limits: { global: limit(2) } });

    expect(await limited.statuses(3)).toEqual([200, 200, 429]);
  });
});

describe("when Redis is back without its data", () => {
  /** A node that has seen Redis go and come, another node, and a limit of 3 that both count by. */
  async function afterLoss() {
    const stack = new AsyncDisposableStack();
    const redis = stack.use(await privateRedis());
    const settings = { REDIS_URL: redis.url };
    const one = stack.use(await startKit({ settings }));
    const { database_url, data_dir } = one;
    const limited = stack.use(await startLimited(one, { limits: { per_ip: limit(3) } }));
    const first = (await limited.ask()).status;
    await redis.kill();
    await redis.start();
    await logged(one, "rate_limit_store_back");
    const other = stack.use(await startKit({ database_url, data_dir, settings }));
    const state = `${limited.path}/limits/state/per_ip/127.0.0.1`;
    const askOther = () =>
      fetch(`${other.url}/${limited.slug}/v1/models`, { headers: { "x-ag-api-key": limited.key } });
    return {
      ...{ one, other, limited, first, state, askOther },
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  }

  test("each request is counted once, although memory and Redis count it", async () => {
    await using lost = await afterLoss();

    expect(lost.first).toBe(200);
    expect(await lost.limited.statuses(3)).toEqual([200, 200, 429]);
  });

  test("another node counts what this one admitted, and a reset there applies to both", async () => {
    await using lost = await afterLoss();
    expect(await passing(3, lost.askOther)).toBe(2);
    const refused = await lost.limited.statuses(2);

    expect((await lost.other.delete(lost.state)).status).toBe(204);

    expect(refused).toEqual([429, 429]);
    expect(await lost.limited.statuses(4)).toEqual([200, 200, 200, 429]);
  });

  test("a reset clears usage that only this node has, and usage that only Redis has", async () => {
    await using lost = await afterLoss();

    expect((await lost.one.delete(lost.state)).status).toBe(204);
    expect((await lost.one.delete(lost.state)).status).toBe(404);
    await lost.askOther();
    expect((await lost.one.delete(lost.state)).status).toBe(204);
  });
});

const logged = (running: Kit, event: string) =>
  until(() => running.lines.some((line) => line.includes(event)));

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

const closing = (client: RedisClient) => ({ client, [Symbol.dispose]: () => client.close() });
