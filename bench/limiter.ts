/** The rate limiter: CPU and memory of a check of four limits, and what Redis adds; beside another library. */
import { heapStats } from "bun:jsc";
import { RedisClient } from "bun";
import { RateLimiterMemory, RateLimiterRedis } from "rate-limiter-flexible";
import { userOf } from "../src/contract/user-header.ts";
import { type Ask, spaceName } from "../src/plugins/rate-limiter/counter.ts";
import { createMemoryCounter } from "../src/plugins/rate-limiter/memory-counter.ts";
import { createRedisCounter } from "../src/plugins/rate-limiter/redis-counter.ts";
import { createFingerprint } from "../src/plugins/rate-limiter/subjects.ts";
import { rateLimiter } from "../src/plugins/rate-limiter.ts";
import { seeded } from "../test/kit/random.ts";
import { privateRedis } from "../test/limiter/private-redis.ts";

/** A third each of fingerprints, addresses and users, and one for all traffic. */
const CLIENTS = 33_333;
const CHECKS = 200_000;
const ROUNDS = 7;
const TYPES = ["per_fingerprint", "per_ip", "per_user", "global"] as const;
const LIMIT = { limit: 1_000_000_000, window: "1h" };
const WINDOW_S = 3_600;

/** `first`: the texts of the subject are new, as they are in every request. */
type Check = (client: number, first?: boolean) => unknown;

/** Made in a process of its own each, so that none pays for the memory of another. */
const CONTENDERS: Record<string, () => Check> = {
  "Portcullis, counting": counting,
  "Portcullis, whole plugin step": wholeStep,
  "rate-limiter-flexible, counting": flexible,
};

export async function run(): Promise<void> {
  console.log(
    `Rate limiter: one check of four limits, ${3 * CLIENTS + 1} live subjects, best of ${ROUNDS} rounds\n`,
  );
  console.log("| in memory | CPU µs per check | bytes per subject |\n|---|---|---|");
  for (const name of Object.keys(CONTENDERS)) {
    await Bun.spawn([process.execPath, import.meta.path, name], { stdout: "inherit" }).exited;
  }

  await using server = await privateRedis();
  const redis = new RedisClient(server.url);
  console.log("\n| on Redis, loopback | checks/s | added latency p50 | p99 |\n|---|---|---|---|");
  const shared = createRedisCounter(redis);
  await onRedis("Portcullis, one round trip", (client) => shared.take(asksOf(client)));
  await onRedis("rate-limiter-flexible, four round trips", flexibleOn(redis));
  redis.close();
}

async function inMemory(name: string, check: Check): Promise<void> {
  const before = heapBytes();
  for (let client = 0; client < CLIENTS; client++) await check(client, true);
  const bytes = (heapBytes() - before) / (3 * CLIENTS + 1);
  const random = seeded(1);
  const clients = Array.from({ length: CHECKS }, () => random.below(CLIENTS));
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const began = process.cpuUsage();
    for (const client of clients) {
      const checked = check(client);
      if (checked instanceof Promise) await checked;
    }
    const { user, system } = process.cpuUsage(began);
    rounds.push((user + system) / CHECKS);
  }
  console.log(`| ${name} | ${Math.min(...rounds).toFixed(2)} | ${Math.round(bytes)} |`);
}

function heapBytes(): number {
  Bun.gc(true);
  const { heapSize, extraMemorySize } = heapStats();
  return heapSize + extraMemorySize;
}

const spaces = TYPES.map((type) =>
  spaceName("0198c0de-0000-7000-8000-000000000000", type, WINDOW_S),
);
const subjects = (client: number) => [
  `fingerprint-${client}`,
  address(client),
  `user-${client}`,
  "global",
];
const address = (client: number) => `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`;

function asksOf(client: number): Ask[] {
  const named = subjects(client);
  return spaces.map((space, at) => ({
    space,
    subject: named[at] ?? "",
    limit: LIMIT.limit,
    window_s: WINDOW_S,
  }));
}

function counting(): Check {
  const counter = createMemoryCounter();
  const asks = Array.from({ length: CLIENTS }, (_, client) => asksOf(client));
  return (client, first) =>
    counter.take(first ? asksOf(client) : (asks[client] ?? []), performance.now());
}

/** From the request's headers to the headers of the answer, as the data plane calls it. */
function wholeStep(): Check {
  const counter = createMemoryCounter();
  const limits = Object.fromEntries(TYPES.map((type) => [type, LIMIT]));
  const step = rateLimiter.preRequest({ limits, actions: { type: "reject" } }, "0198c0de");
  const limiter = {
    fingerprint: createFingerprint({ current: "k", keys: new Map([["k", new Uint8Array(32)]]) }),
    blocks: { endOf: () => undefined, add: () => {}, stop: async () => {} },
    store: {
      take: (asks: readonly Ask[]) => ({
        ...counter.take(asks, performance.now()),
        store: "memory" as const,
      }),
      check: (asks: readonly Ask[]) => ({
        ...counter.check(asks, performance.now()),
        store: "memory" as const,
      }),
      used: async () => ({ items: [], complete: true, store: "memory" as const }),
      forget: async () => false,
      stop: () => {},
    },
    stop: async () => {},
  };
  const deps = { limiter, now: () => new Date() };
  const headers = new Headers({ "user-agent": "python-httpx/0.28", "x-session-id": "s-1" });
  return (client) => {
    headers.set("x-user-id", `user-${client}`);
    const asked = { key_id: "0198c0de-1111", client: address(client), user: userOf(headers) };
    return step(deps, { ...asked, headers, reply_headers: {} });
  };
}

function flexible(): Check {
  const limiters = TYPES.map(
    (keyPrefix) => new RateLimiterMemory({ keyPrefix, points: LIMIT.limit, duration: WINDOW_S }),
  );
  return (client) => {
    const named = subjects(client);
    return Promise.all(limiters.map((limiter, at) => limiter.consume(named[at] ?? "")));
  };
}

/** The same client for both: the library asks for a function that runs its script. */
function flexibleOn(redis: RedisClient): Check {
  let sha = "";
  const storeClient = {
    defineCommand: (_: string, { lua }: { lua: string }) => {
      sha = new Bun.CryptoHasher("sha1").update(lua).digest("hex");
      void redis.send("SCRIPT", ["LOAD", lua]);
    },
    rlflxIncr: ([key = "", ...rest]: string[]) => redis.send("EVALSHA", [sha, "1", key, ...rest]),
  };
  const limiters = TYPES.map(
    (keyPrefix) =>
      new RateLimiterRedis({ storeClient, keyPrefix, points: LIMIT.limit, duration: WINDOW_S }),
  );
  return (client) => {
    const named = subjects(client);
    return Promise.all(limiters.map((limiter, at) => limiter.consume(named[at] ?? "")));
  };
}

async function onRedis(name: string, check: Check): Promise<void> {
  const random = seeded(2);
  for (let warm = 0; warm < 2_000; warm++) await check(random.below(CLIENTS));
  const times: number[] = [];
  for (let alone = 0; alone < 5_000; alone++) {
    const began = performance.now();
    await check(random.below(CLIENTS));
    times.push((performance.now() - began) * 1000);
  }
  const began = performance.now();
  let left = 60_000;
  const worker = async () => {
    for (; left > 0; left--) await check(random.below(CLIENTS));
  };
  await Promise.all(Array.from({ length: 64 }, worker));
  const perSecond = 60_000 / ((performance.now() - began) / 1000);
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share: number) => `${Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)} µs`;
  console.log(`| ${name} | ${Math.round(perSecond)} | ${at(0.5)} | ${at(0.99)} |`);
}

if (import.meta.main) {
  const [, , name = ""] = process.argv;
  const contender = CONTENDERS[name];
  await (contender ? inMemory(name, contender()) : run());
  // The other library keeps a timer for every key.
  process.exit();
}
