import { expect, test } from "bun:test";
import { createAddressCache } from "../../src/net/address-cache.ts";

const target = { hostname: "upstream.test", allow_private: true };

/** Creates an address cache with its own clock and name server; `lookups` counts the queries. */
function finder(addresses: string[]) {
  const state = { now: 0, lookups: 0, addresses };
  const lookup = async () => {
    state.lookups++;
    return state.addresses;
  };
  return { state, ...createAddressCache({ lookup, nowMs: () => state.now }) };
}

test("an address is cached for thirty seconds", async () => {
  const { state, find } = finder(["127.0.0.1"]);

  await find(target);
  state.now = 29_999;
  await find(target);
  expect(state.lookups).toBe(1);
  state.now = 30_000;
  await find(target);

  expect(state.lookups).toBe(2);
});

test("concurrent calls share one lookup", async () => {
  const { state, find } = finder(["127.0.0.1"]);

  const found = await Promise.all(Array.from({ length: 20 }, () => find(target)));

  expect(new Set(found.flat())).toEqual(new Set(["127.0.0.1"]));
  expect(state.lookups).toBe(1);
});

test("a failure is not cached", async () => {
  const { state, find } = finder([]);

  await expect(find(target)).rejects.toMatchObject({ code: "upstream_unreachable" });
  state.addresses = ["127.0.0.1"];

  expect(await find(target)).toEqual(["127.0.0.1"]);
});

test("an evicted target is looked up again", async () => {
  const { state, find, forget } = finder(["127.0.0.1"]);

  await find(target);
  forget(target);
  await find(target);

  expect(state.lookups).toBe(2);
});

test("addresses found with allow_private are not used without it", async () => {
  const { state, find } = finder(["127.0.0.1"]);
  const guarded = { ...target, allow_private: false };

  await find(target);

  await expect(find(guarded)).rejects.toMatchObject({ code: "upstream_address_refused" });
  expect(state.lookups).toBe(2);
});

test("the cache is bounded and evicts the oldest target", async () => {
  const { state, find } = finder(["127.0.0.1"]);
  const named = (i: number) => ({ ...target, hostname: `h${i}.test` });

  for (let i = 0; i < 1001; i++) await find(named(i));
  await find(named(1000));
  expect(state.lookups).toBe(1001);
  await find(named(0));

  expect(state.lookups).toBe(1002);
});

test("an address that accepted a connection is tried first", async () => {
  const { find, prefer } = finder(["127.0.0.1", "127.0.0.2", "127.0.0.3"]);

  await find(target);
  prefer(target, "127.0.0.2");

  expect(await find(target)).toEqual(["127.0.0.2", "127.0.0.1", "127.0.0.3"]);
});
