/** The rate limiter: CPU and memory of a check of four limits, and what Redis adds; beside another library. */
import { heapStats } from "bun:jsc";
import { RedisClient } from "bun";
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterRedis,
} from "rate-limiter-flexible";
import { readUser } from "../src/contract/gateway/user-header.ts";
import { elapsedMs } from "../src/lib/time/clock.ts";
import { type LimitCheck, spaceName } from "../src/plugins/rate-limiter/counter.ts";
import { openCounterStore } from "../src/plugins/rate-limiter/counter-store.ts";
import { newLimiterTally } from "../src/plugins/rate-limiter/limiter.ts";
import { createMemoryCounter } from "../src/plugins/rate-limiter/memory-counter.ts";
import { createRedisCounter } from "../src/plugins/rate-limiter/redis-counter.ts";
import { createFingerprint } from "../src/plugins/rate-limiter/subjects.ts";
import { rateLimiter } from "../src/plugins/rate-limiter.ts";
import { seeded } from "../test/kit/random.ts";
import { privateRedis } from "../test/limiter/private-redis.ts";
import type { Check } from "./checks.ts";

const quick = process.argv.includes("--quick");

/** A third each of fingerprints, addresses and users, and one for all traffic. */
const CLIENTS = 33_333;
const CHECKS = 200_000;
/** Memory layout and other programs affect a single process, so many short ones are measured. */
const PROCESSES = quick ? 2 : 7;
const ROUNDS = 4;
/** On Redis, by turns, because the load of the machine changes within seconds. */
const REDIS_ROUNDS = 15;
const CHECKS_PER_REDIS_ROUND = 4_000;
/** Checks whose subjects are made together, so that they are at hand as a request's are. */
const BATCH = 100;
const TYPES = ["per_fingerprint", "per_ip", "per_user", "global"] as const;
const LIMIT = { limit: 1_000_000_000, window: "1h" };
const WINDOW_S = 3_600;

/** Makes what a request of the client brings; the check that it returns is what is measured. */
type Contender = (client: number) => () => unknown;

/** Made in processes of their own, so that none pays for the memory of another. */
const CONTENDERS: Record<string, () => Contender> = {
  "four lookups in a Map, nothing else": lookups,
  "Portcullis, counting": counting,
  "Portcullis, whole plugin step": wholeStep,
  "rate-limiter-flexible, counting": flexible,
};

export async function run(): Promise<readonly Check[]> {
  console.log(
    `Rate limiter: one check of four limits, ${3 * CLIENTS + 1} live subjects, ${ROUNDS} rounds in each of ${PROCESSES} processes, by turns\n`,
  );
  console.log(
    "| in memory | CPU µs per check, median | lowest to highest | bytes per subject |\n|---|---|---|---|",
  );
  const measured = Object.keys(CONTENDERS).map((name) => ({ name, cpu: [] as number[], bytes: 0 }));
  for (let turn = 0; turn < PROCESSES; turn++) {
    for (const one of measured) {
      const child = Bun.spawn([process.execPath, import.meta.path, one.name]);
      const { cpu, bytes } = (await new Response(child.stdout).json()) as Figures;
      one.cpu.push(...cpu);
      one.bytes = bytes;
    }
  }
  for (const { name, cpu, bytes } of measured) {
    const sorted = cpu.toSorted((one, other) => one - other).map((each) => each.toFixed(2));
    const [median, spread] = [sorted[sorted.length >> 1], `${sorted[0]} to ${sorted.at(-1)}`];
    console.log(`| ${name} | ${median} | ${spread} | ${Math.round(bytes)} |`);
  }

  await using server = await privateRedis();
  const redis = new RedisClient(server.url);
  const shared = createRedisCounter(redis);
  const ours = redisContender("Portcullis, one round trip", (client) => {
    const asks = asksOf(client);
    return () => shared.take(asks);
  });
  const theirs = redisContender("rate-limiter-flexible, four round trips", flexibleOn(redis));
  for (let round = 0; round < REDIS_ROUNDS; round++) {
    for (const contender of [ours, theirs]) await runOnRedis(contender);
  }
  console.log(
    "\n| on Redis, loopback | checks/s, median | added latency p50 | p99 |\n|---|---|---|---|",
  );
  for (const { name, perSecond, alone } of [ours, theirs]) {
    const latency = [0.5, 0.99].map((share) => `${percentile(alone, share)} µs`).join(" | ");
    console.log(`| ${name} | ${percentile(perSecond, 0.5)} | ${latency} |`);
  }
  redis.close();
  return [
    {
      what: "Rate-limit checks per second on Redis",
      measured: `${percentile(ours.perSecond, 0.5)}`,
      target: `at least those of rate-limiter-flexible (${percentile(theirs.perSecond, 0.5)})`,
      pass: percentile(ours.perSecond, 0.5) >= percentile(theirs.perSecond, 0.5),
    },
  ];
}

interface Figures {
  /** Microseconds per check, one for each round. */
  cpu: number[];
  /** Per subject. */
  bytes: number;
}

async function inMemory(prepare: Contender): Promise<Figures> {
  const before = heapBytes();
  for (let client = 0; client < CLIENTS; client++) await prepare(client)();
  const bytes = (heapBytes() - before) / (3 * CLIENTS + 1);
  const random = seeded(1);
  const round = async () => {
    let spent = 0;
    for (let left = CHECKS; left > 0; left -= BATCH) {
      const batch = Array.from({ length: BATCH }, () => prepare(random.below(CLIENTS)));
      const began = process.cpuUsage();
      for (const check of batch) {
        const checked = check();
        if (checked instanceof Promise) await checked;
      }
      const { user, system } = process.cpuUsage(began);
      spent += user + system;
    }
    return spent / CHECKS;
  };
  await round();
  const cpu: number[] = [];
  for (let left = ROUNDS; left > 0; left--) cpu.push(await round());
  return { cpu, bytes };
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

function asksOf(client: number): LimitCheck[] {
  const named = subjects(client);
  return spaces.map((space, at) => ({
    space,
    subject: named[at] ?? "",
    limit: LIMIT.limit,
    window_s: WINDOW_S,
  }));
}

/** The lower bound for a counter with string keys. */
function lookups(): Contender {
  const maps = TYPES.map(() => new Map<string, object>());
  return (client) => {
    const named = subjects(client);
    return () => {
      let at = 0;
      for (const map of maps) {
        const subject = named[at++] ?? "";
        if (!map.get(subject)) map.set(subject, {});
      }
    };
  };
}

function counting(): Contender {
  const counter = createMemoryCounter();
  return (client) => {
    const asks = asksOf(client);
    return () => counter.take(asks, performance.now());
  };
}

/** The complete plugin step, from request headers to response headers. */
function wholeStep(): Contender {
  const limits = Object.fromEntries(TYPES.map((type) => [type, LIMIT]));
  const step = rateLimiter.preRequest([{ limits, actions: { type: "reject" } }], "0198c0de");
  const limiter = {
    fingerprint: createFingerprint({ current: "k", keys: new Map([["k", new Uint8Array(32)]]) }),
    blocks: { endOf: () => undefined, add: () => {}, stop: async () => {} },
    store: openCounterStore({ redis_url: undefined, log: () => {}, elapsedMs }),
    tally: newLimiterTally(),
    stop: async () => {},
  };
  const deps = { limiter, now: () => new Date() };
  return (client) => {
    const headers = new Headers({
      "user-agent": "python-httpx/0.28",
      "x-session-id": "s-1",
      "x-user-id": `user-${client}`,
    });
    const subject = { key_id: "0198c0de-1111", client: address(client), user: readUser(headers) };
    return () => step.admit(deps, { ...subject, headers, reply_headers: {} });
  };
}

function flexible(): Contender {
  return consuming(
    TYPES.map(
      (keyPrefix) => new RateLimiterMemory({ keyPrefix, points: LIMIT.limit, duration: WINDOW_S }),
    ),
  );
}

const consuming =
  (limiters: readonly RateLimiterAbstract[]): Contender =>
  (client) => {
    const named = subjects(client);
    return () => Promise.all(limiters.map((limiter, at) => limiter.consume(named[at] ?? "")));
  };

/** The same client for both: the library asks for a function that runs its script. */
function flexibleOn(redis: RedisClient): Contender {
  let sha = "";
  const storeClient = {
    defineCommand: (_: string, { lua }: { lua: string }) => {
      sha = new Bun.CryptoHasher("sha1").update(lua).digest("hex");
      void redis.send("SCRIPT", ["LOAD", lua]);
    },
    rlflxIncr: ([key = "", ...rest]: string[]) => redis.send("EVALSHA", [sha, "1", key, ...rest]),
  };
  return consuming(
    TYPES.map(
      (keyPrefix) =>
        new RateLimiterRedis({ storeClient, keyPrefix, points: LIMIT.limit, duration: WINDOW_S }),
    ),
  );
}

interface RedisContender {
  name: string;
  check: () => unknown;
  /** Checks per second of each round. */
  perSecond: number[];
  /** Microseconds of each check without others. */
  alone: number[];
}

function redisContender(name: string, prepare: Contender): RedisContender {
  const random = seeded(2);
  return { name, check: () => prepare(random.below(CLIENTS))(), perSecond: [], alone: [] };
}

async function runOnRedis({ check, perSecond, alone }: RedisContender): Promise<void> {
  for (let left = 500; left > 0; left--) {
    const began = performance.now();
    await check();
    alone.push((performance.now() - began) * 1000);
  }
  const began = performance.now();
  let left = CHECKS_PER_REDIS_ROUND;
  const worker = async () => {
    for (; left > 0; left--) await check();
  };
  await Promise.all(Array.from({ length: 64 }, worker));
  perSecond.push(CHECKS_PER_REDIS_ROUND / ((performance.now() - began) / 1000));
}

const percentile = (values: readonly number[], share: number): number =>
  Math.round(values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? 0);

if (import.meta.main) {
  const [, , name = ""] = process.argv;
  const contender = CONTENDERS[name];
  if (contender) console.log(JSON.stringify(await inMemory(contender())));
  // The other library keeps a timer for every key.
  process.exit();
}
