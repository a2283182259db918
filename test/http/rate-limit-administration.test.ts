/** The limits API: usage, blocks, reset and unblock (spec 8.5). */
import { describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { type Kit, sharedKit, startKit } from "../kit/kit.ts";
import { databaseKinds, freshDatabase } from "../kit/services.ts";
import { createTestClock } from "../kit/test-clock.ts";
import { until } from "../kit/until.ts";
import { type Limits, rateHeaders, startLimited } from "../limiter/limited.ts";

const settings = { TRUSTED_PROXIES: "127.0.0.1" };
const clock = createTestClock();
const kit = sharedKit({ settings, now: clock.now, elapsedMs: clock.elapsedMs });
const limit = (count: number, window = "1m") => ({ limit: count, window });
const blocking = (more: object = {}): Limits => ({
  limits: { per_user: limit(1, "1s") },
  actions: { type: "block", ...more },
});
type Listed = { items: { type: string; subject: string; ends_at: string | null }[] };
type State = { items: { type: string; subject: string; used: number; remaining: number }[] };
const read = async <T>(from: Kit, path: string) => (await (await from.get(path)).json()) as T;
const user = (name: string) => ({ "user-id": name });

test("8.5 a blocked subject is rejected after its window, and others are not affected", async () => {
  await using limited = await startLimited(await kit(), blocking());
  expect(await limited.statuses(2, user("bad"))).toEqual([200, 429]);

  clock.advance(1_100);
  const again = await limited.ask(user("bad"));

  expect([again.status, ...rateHeaders(again, "per_user").slice(0, 2)]).toEqual([429, 1, 0]);
  expect(await again.json()).toMatchObject({ error: "per_user rate limit exceeded" });
  expect((await limited.ask(user("good"))).status).toBe(200);
});

test("8.5 a block is listed, and lifting it admits the subject at once", async () => {
  const running = await kit();
  await using limited = await startLimited(running, blocking());
  await limited.statuses(2, user("bad/one"));
  clock.advance(1_100);

  const list = () => read<Listed>(running, `${limited.path}/limits/blocks`);
  await until(async () => (await list()).items.length > 0);
  const before = await list();
  const block = `${limited.path}/limits/blocks/per_user/${encodeURIComponent("bad/one")}`;
  const lifted = await running.delete(block);
  const after = await read<Listed>(running, `${limited.path}/limits/blocks`);

  expect(before.items).toMatchObject([{ type: "per_user", subject: "bad/one", ends_at: null }]);
  expect(lifted.status).toBe(204);
  expect(after.items).toEqual([]);
  expect((await limited.ask(user("bad/one"))).status).toBe(200);
  expect((await running.delete(block)).status).toBe(404);
});

test("8.2 user ids of more than 128 characters are counted separately, by their hash", async () => {
  const running = await kit();
  await using limited = await startLimited(running, {
    limits: { per_user: limit(1) },
    actions: { type: "reject" },
  });
  const [long, longer] = ["u".repeat(128), "u".repeat(129)];

  const statuses = [await limited.statuses(2, user(long)), await limited.statuses(2, user(longer))];

  const { items } = await read<State>(running, `${limited.path}/limits/state`);
  expect(statuses).toEqual([
    [200, 429],
    [200, 429],
  ]);
  expect(items.map(({ subject }) => subject).sort()).toEqual([
    expect.stringMatching(/^sha256:[\da-f]{64}$/),
    long,
  ]);
});

test("8.5 a block expires after block_for", async () => {
  await using limited = await startLimited(await kit(), blocking({ block_for: "2s" }));
  await limited.statuses(2, user("bad"));
  const blocked = await limited.ask(user("bad"));

  clock.advance(2_050);

  expect(Number(blocked.headers.get("retry-after"))).toBeWithin(1, 3);
  expect((await limited.ask(user("bad"))).status).toBe(200);
});

test("8.5 global is never blocked, only rejected", async () => {
  await using limited = await startLimited(await kit(), {
    limits: { global: limit(1, "1s") },
    actions: { type: "block" },
  });
  expect(await limited.statuses(2)).toEqual([200, 429]);

  clock.advance(1_050);

  expect(await limited.statuses(1)).toEqual([200]);
});

describe.each(databaseKinds)("8.5 with %s", (kind) => {
  test("a block survives a restart", async () => {
    await using database = await freshDatabase(kind);
    const keys = `k1:${randomBytes(32).toString("base64")}`;
    const at = { database_url: database.url, settings: { ...settings, PORTCULLIS_KEYS: keys } };
    const first = await startKit(at);
    await using limited = await startLimited(first, blocking());
    await limited.statuses(2, user("bad"));
    await first[Symbol.asyncDispose]();

    await using second = await startKit(at);
    const reply = await fetch(`${second.url}/${limited.slug}/v1/models`, {
      headers: { "x-ag-api-key": limited.key, ...user("bad") },
    });

    expect(reply.status).toBe(429);
  });
});

test("8.5 a block and its lifting reach other nodes within a second", async () => {
  await using one = await startKit({ database: "postgres", settings });
  await using other = await startKit({
    database_url: one.database_url,
    data_dir: one.data_dir,
    settings,
  });
  await using limited = await startLimited(one, blocking());
  await limited.statuses(2, user("bad"));
  const there = async () =>
    (
      await fetch(`${other.url}/${limited.slug}/v1/models`, {
        headers: { "x-ag-api-key": limited.key, ...user("bad") },
      })
    ).status;

  // Polling would count requests of the subject and block it again.
  await Bun.sleep(1_000);
  const blocked = await there();
  await one.delete(`${limited.path}/limits/blocks/per_user/bad`);
  await Bun.sleep(1_000);

  expect([blocked, await there()]).toEqual([429, 200]);
});

test("the usage list is sorted by usage, and filtered by type and search text", async () => {
  const running = await kit();
  await using limited = await startLimited(running, {
    limits: { per_ip: limit(4), per_user: limit(100, "1h") },
  });
  for (const ip of ["203.0.113.1", "203.0.113.2", "203.0.113.2"]) {
    await limited.from(ip, user(`at-${ip}`));
  }
  const state = `${limited.path}/limits/state`;

  const all = await read<State>(running, state);
  const byText = await read<State>(running, `${state}?type=per_user&search=AT-203.0.113.2`);
  const one = await read<State>(running, `${state}?limit=1`);

  expect(all.items.map(({ type, subject, used }) => `${type} ${subject} ${used}`)).toEqual([
    "per_ip 203.0.113.2 2",
    "per_ip 203.0.113.1 1",
    "per_user at-203.0.113.2 2",
    "per_user at-203.0.113.1 1",
  ]);
  expect(all).toMatchObject({ store: "memory", complete: true });
  expect(byText.items).toMatchObject([
    { subject: "at-203.0.113.2", window: "1h", limit: 100, used: 2, remaining: 98 },
  ]);
  expect(one.items.length).toBe(1);
});

test("a reset clears the usage of a subject, and is recorded in the audit log", async () => {
  const running = await kit();
  await using limited = await startLimited(running, { limits: { per_ip: limit(1) } });
  const subject = encodeURIComponent("2001:db8:0:1::/64");
  await limited.from("2001:db8:0:1::5");

  const reset = await running.delete(`${limited.path}/limits/state/per_ip/${subject}`);
  const audit = await read<{ items: { action: string; resource_id: string }[] }>(
    running,
    `/v1/audit?gateway_id=${limited.gateway.id}&resource=limit_state`,
  );

  expect(reset.status).toBe(204);
  expect((await limited.from("2001:db8:0:1::6")).status).toBe(200);
  expect(audit.items).toMatchObject([
    { action: "limit_state.delete", resource_id: "per_ip:2001:db8:0:1::/64" },
  ]);
});

test("a fingerprint is shown as a short id that reveals nothing of the request", async () => {
  const running = await kit();
  await using limited = await startLimited(running, { limits: { per_fingerprint: limit(5) } });
  await limited.ask({ ...user("jane@example.com"), "user-agent": "agent" });

  const { items } = await read<State>(running, `${limited.path}/limits/state`);

  expect(items[0]?.subject).toMatch(/^[\w-]{22}$/);
});

test.each([
  ["state/per_ip/unknown", 404],
  ["state/per_moon/unknown", 422],
  ["blocks/per_ip/unknown", 404],
  ["blocks/per_moon/unknown", 422],
])("DELETE limits/%s is a %i", async (path, status) => {
  await using limited = await startLimited(await kit(), { limits: { per_ip: limit(1) } });

  const reply = await (await kit()).delete(`${limited.path}/limits/${path}`);

  expect(reply.status).toBe(status);
});

test("a process without the data plane returns where the counters are", async () => {
  await using admin = await startKit({ settings: { PORTCULLIS_PLANES: "admin" } });
  const gateway = await admin.make("/v1/gateways", { name: "g" });
  const path = `/v1/gateways/${gateway.id}/limits/state`;

  const state = await read<{ note: string }>(admin, path);
  const reset = await admin.delete(`${path}/per_ip/unknown`);

  expect(state.note).toContain("does not serve the data plane");
  expect(reset.status).toBe(409);
});
