/** A gateway may require several rate_limiter entries: they are applied together, in priority order. */
import { expect, test } from "bun:test";
import { sharedKit } from "../kit/kit.ts";
import { until } from "../kit/until.ts";
import { entryOf, rateHeaders, startWithPlugins } from "../limiter/limited.ts";

const kit = sharedKit({ settings: { TRUSTED_PROXIES: "127.0.0.1, ::1" } });
const limit = (count: number, window = "1m") => ({ limit: count, window });

test("limits of all enabled entries apply, those of a disabled entry do not", async () => {
  await using limited = await startWithPlugins(await kit(), [
    entryOf({ limits: { per_ip: limit(3) } }),
    entryOf({ limits: { per_user: limit(2) } }),
    entryOf({ limits: { global: limit(1) } }, { enabled: false }),
  ]);

  expect(await limited.statuses(3, { "x-user-id": "jane" })).toEqual([200, 200, 429]);
  expect(await limited.statuses(2, { "x-user-id": "mary" })).toEqual([200, 429]);
});

test("a request that one entry rejects consumes no quota of another entry", async () => {
  await using limited = await startWithPlugins(await kit(), [
    entryOf({ limits: { global: limit(10) } }, { priority: 1 }),
    entryOf({ limits: { per_user: limit(1) } }, { priority: 2 }),
  ]);
  await limited.statuses(4, { "x-user-id": "jane" });

  const other = await limited.ask({ "x-user-id": "mary" });

  expect(rateHeaders(other, "global").slice(0, 2)).toEqual([10, 8]);
});

test("the entry with the lowest priority number names the limit and sets retry_after", async () => {
  await using limited = await startWithPlugins(await kit(), [
    entryOf(
      { limits: { per_ip: limit(1) }, actions: { type: "reject", retry_after: "7" } },
      { priority: 5 },
    ),
    entryOf(
      { limits: { global: limit(1) }, actions: { type: "reject", retry_after: "9" } },
      { priority: -2_000_000 },
    ),
  ]);
  await limited.ask();

  const refused = await limited.ask();

  expect(await refused.json()).toEqual({ error: "global rate limit exceeded", retry_after: "9" });
});

test("entries with the same type and different windows are counted separately", async () => {
  await using limited = await startWithPlugins(await kit(), [
    entryOf({ limits: { global: limit(5, "1h") } }),
    entryOf({ limits: { global: limit(4, "1m") } }),
  ]);

  const first = await limited.ask();
  const statuses = await limited.statuses(4);

  // The headers describe the limit with the fewest requests remaining.
  expect(rateHeaders(first, "global").slice(0, 2)).toEqual([4, 3]);
  expect(statuses).toEqual([200, 200, 200, 429]);
});

test("headers switch to the entry that becomes the most restrictive", async () => {
  await using limited = await startWithPlugins(await kit(), [
    entryOf({ limits: { global: limit(5, "1h") } }),
  ]);
  await limited.statuses(3);
  await limited.replacePlugins([
    entryOf({ limits: { global: limit(4, "1m") } }),
    entryOf({ limits: { global: limit(5, "1h") } }),
  ]);

  expect(rateHeaders(await limited.ask(), "global").slice(0, 2)).toEqual([5, 1]);
});

test("the smaller limit of two entries with the same type and window applies", async () => {
  await using limited = await startWithPlugins(await kit(), [
    entryOf({ limits: { per_user: limit(3) } }),
    entryOf({ limits: { per_user: limit(2) }, actions: { type: "block" } }),
  ]);

  expect(await limited.statuses(3)).toEqual([200, 200, 429]);
  const blocks = async () => {
    const reply = await (await kit()).get(`${limited.path}/limits/blocks`);
    return ((await reply.json()) as { items: object[] }).items;
  };
  await until(async () => (await blocks()).length > 0);
  expect(await blocks()).toMatchObject([{ type: "per_user", subject: "anonymous", ends_at: null }]);
});

test("reordering entries or editing another entry keeps the usage", async () => {
  const user = entryOf({ limits: { per_user: limit(3) } });
  await using limited = await startWithPlugins(await kit(), [
    user,
    entryOf({ limits: { global: limit(50) } }),
  ]);
  await limited.statuses(2);

  await limited.replacePlugins([
    entryOf({ limits: { global: limit(60, "1h"), per_ip: limit(40) } }, { priority: -1 }),
    { ...user, priority: 9 },
  ]);

  expect(await limited.statuses(2)).toEqual([200, 429]);
});

test("the usage list has a row for each window, and a reset clears all of them", async () => {
  await using limited = await startWithPlugins(await kit(), [
    entryOf({ limits: { per_user: limit(5, "1h") } }),
    entryOf({ limits: { per_user: limit(2, "1m") } }),
  ]);
  const usage = async () => {
    const reply = await (await kit()).get(`${limited.path}/limits/state?type=per_user`);
    const { items } = (await reply.json()) as { items: { window: string; used: number }[] };
    return items.map(({ window, used }) => [window, used]);
  };
  await limited.statuses(2);
  const before = await usage();

  const reset = await (await kit()).delete(`${limited.path}/limits/state/per_user/anonymous`);

  expect(before).toEqual([
    ["1m", 2],
    ["1h", 2],
  ]);
  expect([reset.status, await usage()]).toEqual([204, []]);
  expect((await limited.ask()).status).toBe(200);
});
