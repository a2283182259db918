/** The rate limiter on the data plane (spec 7.3 and 8). */
import { expect, test } from "bun:test";
import { buildOpenApi } from "../../src/server/openapi/openapi.ts";
import { sharedKit } from "../kit/kit.ts";
import { createTestClock } from "../kit/test-clock.ts";
import { passing, rateHeaders, startLimited } from "../limiter/limited.ts";

const clock = createTestClock();
const kit = sharedKit({
  settings: { TRUSTED_PROXIES: "127.0.0.1, ::1" },
  now: clock.now,
  elapsedMs: clock.elapsedMs,
});
const limit = (count: number, window = "1m") => ({ limit: count, window });

test("8.1 the sixth request of one address is a 429 that names the limit", async () => {
  await using limited = await startLimited(await kit(), {
    limits: { per_ip: limit(5) },
    actions: { type: "reject", retry_after: "60" },
  });
  expect(await limited.statuses(5)).toEqual([200, 200, 200, 200, 200]);

  const sixth = await limited.ask();

  expect(sixth.status).toBe(429);
  expect(sixth.headers.get("retry-after")).toBe("60");
  expect(await sixth.json()).toEqual({ error: "per_ip rate limit exceeded", retry_after: "60" });
  expect(limited.upstream.hits.length).toBe(5);
});

test("8.2 each address has its own limit", async () => {
  await using limited = await startLimited(await kit(), { limits: { per_ip: limit(1) } });
  expect((await limited.from("203.0.113.1")).status).toBe(200);
  expect((await limited.from("203.0.113.1")).status).toBe(429);

  expect((await limited.from("203.0.113.2")).status).toBe(200);
});

test("an IPv6 client is counted by its /64 network", async () => {
  await using limited = await startLimited(await kit(), { limits: { per_ip: limit(1) } });
  expect((await limited.from("2001:db8:1:2::1")).status).toBe(200);

  expect((await limited.from("2001:db8:1:2:ffff::9")).status).toBe(429);
  expect((await limited.from("2001:db8:1:3::1")).status).toBe(200);
});

test("a client cannot forge its address", async () => {
  await using limited = await startLimited(await kit(), { limits: { per_ip: limit(1) } });
  expect((await limited.from("1.1.1.1, 203.0.113.1")).status).toBe(200);

  expect((await limited.from("2.2.2.2, 203.0.113.1")).status).toBe(429);
});

test("8.2 users are distinguished by any of the four headers", async () => {
  await using limited = await startLimited(await kit(), { limits: { per_user: limit(2) } });

  expect(await limited.statuses(3, { "X-User-ID": "u1" })).toEqual([200, 200, 429]);
  expect((await limited.ask({ "User-ID": "u2" })).status).toBe(200);
  expect((await limited.ask({ "X-UserID": "u1" })).status).toBe(429);
});

test("the first user header that is present applies", async () => {
  await using limited = await startLimited(await kit(), { limits: { per_user: limit(1) } });
  await limited.ask({ "User-ID": "second", "X-User-Id": "first" });

  expect((await limited.ask({ "X-User-ID": "first" })).status).toBe(429);
  expect((await limited.ask({ "X-User-ID": "second" })).status).toBe(200);
});

test("8.2 requests without a user share the user anonymous", async () => {
  await using limited = await startLimited(await kit(), { limits: { per_user: limit(2) } });

  expect(await limited.statuses(3)).toEqual([200, 200, 429]);
});

test("8.1 the global limit counts all requests", async () => {
  await using limited = await startLimited(await kit(), { limits: { global: limit(3) } });
  for (const user of ["a", "b", "c"]) {
    expect((await limited.from(`203.0.113.${user.length}`, { "user-id": user })).status).toBe(200);
  }

  const fourth = await limited.from("203.0.113.9", { "user-id": "d" });

  expect(await fourth.json()).toMatchObject({ error: "global rate limit exceeded" });
});

test("8.3 the exceeded type is reported, and others are not charged", async () => {
  await using limited = await startLimited(await kit(), {
    limits: { global: limit(100), per_ip: limit(2) },
  });
  await limited.statuses(2);

  const third = await limited.ask();

  expect(await third.json()).toMatchObject({ error: "per_ip rate limit exceeded" });
  expect(rateHeaders(third, "global").slice(0, 2)).toEqual([100, 98]);
});

test("the first of several exceeded types is reported", async () => {
  const one = limit(1);
  await using limited = await startLimited(await kit(), {
    limits: { global: one, per_user: one, per_ip: one, per_fingerprint: one },
  });
  await limited.ask();

  const all = await limited.ask();
  const others = await limited.ask({ "user-agent": "another" });

  expect(await all.json()).toMatchObject({ error: "per_fingerprint rate limit exceeded" });
  expect(await others.json()).toMatchObject({ error: "per_ip rate limit exceeded" });
});

test("8.6 every response has three headers for each configured type", async () => {
  await using limited = await startLimited(await kit(), {
    limits: { global: limit(9, "1h"), per_ip: limit(3) },
  });

  const first = await limited.ask();
  const now = clock.now().getTime() / 1000;
  const wrong = await limited.post("/v1/chat/completions", "{no json");
  const models = await limited.get("/v1/models");

  expect(rateHeaders(first, "global").slice(0, 2)).toEqual([9, 8]);
  expect(rateHeaders(first, "per_ip").slice(0, 2)).toEqual([3, 2]);
  // The next slot frees a window later, at most a 64th of it late.
  expect(Number(rateHeaders(first, "per_ip")[2])).toBeWithin(now + 59, now + 63);
  expect([wrong.status, ...rateHeaders(wrong, "per_ip").slice(0, 2)]).toEqual([400, 3, 1]);
  expect([models.status, ...rateHeaders(models, "per_ip").slice(0, 2)]).toEqual([200, 3, 0]);
  expect(rateHeaders(first, "per_user")).toEqual([null, null, null]);
});

test("8.4 a slot is available again after its window", async () => {
  await using limited = await startLimited(await kit(), { limits: { per_ip: limit(1, "1s") } });
  expect(await limited.statuses(2)).toEqual([200, 429]);

  clock.advance(1_020);

  expect(await limited.statuses(1)).toEqual([200]);
});

test("a client that waits for Retry-After is admitted", async () => {
  await using limited = await startLimited(await kit(), { limits: { global: limit(2, "1s") } });
  await limited.statuses(2);
  const refused = await limited.ask();
  const reset = Number(rateHeaders(refused, "global")[2]);

  clock.advance(Number(refused.headers.get("retry-after")) * 1000);

  expect(reset * 1000).toBeLessThan(clock.now().getTime() + 1_000);
  expect((await limited.ask()).status).toBe(200);
});

test("8.4 a window of a day", async () => {
  await using limited = await startLimited(await kit(), { limits: { per_ip: limit(1, "1d") } });
  await limited.ask();

  const refused = await limited.ask();

  expect(Number(refused.headers.get("retry-after"))).toBeWithin(86_390, 86_400 + 1_352);
});

test("7.3 a rejected request is a 429 with retry_after as configured", async () => {
  await using limited = await startLimited(await kit(), {
    limits: { per_ip: limit(1) },
    actions: { type: "reject", retry_after: "30" },
  });
  await limited.ask();

  const refused = await limited.ask();

  expect(refused.headers.get("retry-after")).toBe("30");
  expect(await refused.json()).toMatchObject({ retry_after: "30" });
});

test("a disabled plugin neither limits nor adds headers", async () => {
  const running = await kit();
  await using limited = await startLimited(running, { limits: { per_ip: limit(1) } });
  const [entry] = (
    (await (await running.get(limited.path)).json()) as { required_plugins: object[] }
  ).required_plugins;
  await running.put(limited.path, { required_plugins: [{ ...entry, enabled: false }] });

  const replies = [await limited.ask(), await limited.ask()];

  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
  expect(rateHeaders(replies[1] as Response, "per_ip")).toEqual([null, null, null]);
});

test("gateways are counted separately", async () => {
  await using one = await startLimited(await kit(), { limits: { per_ip: limit(1) } });
  await using other = await startLimited(await kit(), { limits: { per_ip: limit(1) } });
  await one.ask();

  expect((await one.ask()).status).toBe(429);
  expect((await other.ask()).status).toBe(200);
});

test("exactly 100 of 2,000 parallel calls are admitted with a limit of 100", async () => {
  await using limited = await startLimited(await kit(), { limits: { global: limit(100, "1h") } });

  expect(await passing(2_000, () => limited.ask())).toBe(100);
  expect(limited.upstream.hits.length).toBe(100);
});

test("a fingerprint changes with the user agent, the session and the user", async () => {
  await using limited = await startLimited(await kit(), { limits: { per_fingerprint: limit(1) } });
  const same = { "user-agent": "a", "x-session-id": "s" };

  expect((await limited.ask(same)).status).toBe(200);
  expect((await limited.ask(same)).status).toBe(429);
  expect((await limited.ask({ ...same, "user-agent": "b" })).status).toBe(200);
  expect((await limited.ask({ ...same, "x-session-id": "t" })).status).toBe(200);
  expect((await limited.ask({ ...same, "user-id": "u" })).status).toBe(200);
});

test("a changed limit keeps the usage", async () => {
  await using limited = await startLimited(await kit(), { limits: { per_ip: limit(2) } });
  await limited.statuses(2);

  await limited.configure({ limits: { per_ip: limit(3) } });

  expect(await limited.statuses(2)).toEqual([200, 429]);
});

const paths = Object.entries(buildOpenApi([]).paths).flatMap(([path, methods]) =>
  path.startsWith("/{consumer}/v1/")
    ? Object.keys(methods).map((method) => [
        method.toUpperCase(),
        path.replace("/{consumer}", "").replace(/\{\w+\}/, "file-1"),
      ])
    : [],
);

test.each(paths)("%s %s counts like any other call (bifrost #2873)", async (method, path = "") => {
  await using limited = await startLimited(await kit(), { limits: { global: limit(1) } });

  const first = await limited.call(path, { method });
  const second = await limited.call(path, { method });

  expect(first.status).not.toBe(429);
  expect(second.status).toBe(429);
});

test("the tested paths are all paths of the data plane", () => {
  expect(paths.length).toBeGreaterThanOrEqual(15);
});
