/** 5,000 generated bodies: the admin API returns a documented status, never a 500. */
import { describe, expect, test } from "bun:test";
import { KINDS } from "../../src/contract/gateway/registries.ts";
import { startKit } from "../kit/kit.ts";
import { type Random, seeded } from "../kit/random.ts";
import { databaseKinds } from "../kit/services.ts";

const BODIES = 1_000;
const AT_ONCE = 16;
const DECIDED = [200, 201, 204, 404, 409, 412, 413, 422];

describe.each(databaseKinds)("%s", (database) => {
  test(`${BODIES} generated bodies cause no 500, and errors name the cause`, async () => {
    await using kit = await startKit({ database, settings: { LOG_LEVEL: "error" } });
    const gateway = await kit.make("/v1/gateways", { name: "g" });
    const path = `/v1/gateways/${gateway.id}`;
    const registry = await kit.make(`${path}/registries`, { name: "r", provider: "demo" });
    const consumer = await kit.make(`${path}/consumers`, { name: "c" });
    const random = seeded(20_261_115);
    const shapes = bodyShapes(registry.id);
    const targets: [string, string, keyof typeof shapes][] = [
      ["POST", "/v1/gateways", "gateway"],
      ["PUT", path, "gateway"],
      ["POST", `/api${path}`, "gateway"],
      ["POST", `${path}/registries`, "registry"],
      ["PUT", `${path}/registries/${registry.id}`, "registry"],
      ["POST", `${path}/consumers`, "consumer"],
      ["PUT", `${path}/consumers/${consumer.id}`, "consumer"],
      ["POST", `${path}/consumers/${consumer.id}/keys`, "key"],
      ["POST", "/v1/tokens", "token"],
    ];
    const odd: string[] = [];
    const seen = new Map<number, number>();

    const one = async () => {
      const [method, target, shape] = random.pick(targets);
      const body = spoil(random, shapes[shape](random));
      const reply = await kit.call(method, target, body);
      const text = await reply.text();
      seen.set(reply.status, (seen.get(reply.status) ?? 0) + 1);
      const hasErrorBody = reply.ok || /^\{"error":"\w+","message":"./.test(text);
      if (!DECIDED.includes(reply.status) || !hasErrorBody) {
        odd.push(
          `${method} ${target} ${body.slice(0, 300)} → ${reply.status} ${text.slice(0, 200)}`,
        );
      }
    };
    for (let sent = 0; sent < BODIES; sent += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, one));
    }

    expect(odd.slice(0, 5)).toEqual([]);
    // The generator must reach both sides: bodies that pass and bodies that do not.
    expect(seen.get(201) ?? 0).toBeGreaterThan(BODIES / 25);
    expect(seen.get(422) ?? 0).toBeGreaterThan(BODIES / 2.5);
    expect(kit.lines.filter((line) => line.includes('"status":500'))).toEqual([]);
  }, 180_000);
});

/** A body that would pass, by resource. */
function bodyShapes(registryId: string) {
  const name = (random: Random) => `n${random.below(1e9)}`;
  return {
    gateway: (random: Random) => ({
      name: name(random),
      metadata: { a: "b" },
      required_plugins: [] as unknown[],
    }),
    registry: (random: Random) => ({
      name: name(random),
      provider: random.pick(KINDS),
      provider_options: random.pick<object>([
        {},
        { base_url: "https://x.example.com/v1" },
        { endpoint: "https://x.example.com", api_version: "2024-10-21" },
        { region: "eu-west-1" },
      ]),
      auth: random.pick([null, { type: "api_key", api_key: "sk-0123456789" }]),
      capabilities: random.pick([null, ["chat"], ["chat", "files"]]),
      enabled: true,
    }),
    consumer: (random: Random) => ({
      name: name(random),
      slug: `s${random.below(1e9)}`,
      registries: [{ id: registryId, weight: 2, models: { allowed: ["a*"], default: "ab" } }],
      balancing: { algorithm: "latency" },
      failover: { max_attempts: 2 },
    }),
    key: (random: Random) => ({
      name: name(random),
      expires_at: random.pick([null, "2099-01-01T00:00:00Z"]),
    }),
    token: (random: Random) => ({
      name: name(random),
      role: random.pick(["viewer", "auditor", "unknown"]),
    }),
  };
}

const JUNK: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  "",
  " ",
  "\u0000",
  "\ud800",
  "🦊".repeat(200),
  "x".repeat(5000),
  "'; DROP TABLE gateways; --",
  "../../etc/passwd",
  "***",
  "***abcd",
  [],
  {},
  [[[[[]]]]],
  { __proto__: null, constructor: { prototype: 1 } },
  "http://169.254.169.254/",
  "2024-13-45T99:99:99Z",
];

/** Leaves it, replaces, adds or removes a member somewhere, or breaks the text itself. */
function spoil(random: Random, body: object): string {
  const way = random.below(10);
  if (way < 2) return JSON.stringify(body);
  if (way === 2) return breakText(random, JSON.stringify(body));
  const copy = structuredClone(body) as Record<string, unknown>;
  for (let changes = 1 + random.below(3); changes > 0; changes -= 1) {
    const [place, member] = somewhere(random, copy);
    const act = random.below(3);
    if (act === 0) place[member] = structuredClone(random.pick(JUNK));
    else if (act === 1) delete place[member];
    else
      place[random.pick(["extra", "__proto__", "id", "", "a.b", "version"])] = structuredClone(
        random.pick(JUNK),
      );
  }
  return JSON.stringify(copy);
}

function somewhere(
  random: Random,
  value: Record<string, unknown>,
): [Record<string, unknown>, string] {
  const members = Object.keys(value);
  const member = members.length ? random.pick(members) : "x";
  const inner = value[member];
  const deeper = typeof inner === "object" && inner !== null && random.below(2) === 0;
  return deeper ? somewhere(random, inner as Record<string, unknown>) : [value, member];
}

function breakText(random: Random, text: string): string {
  const at = random.below(text.length);
  return random.pick([
    text.slice(0, at),
    `${text.slice(0, at)}\u0001${text.slice(at)}`,
    `${text},`,
    `[${text}]`,
  ]);
}
