/** Rate-limit headers are on every data-plane response of a known gateway, also before authentication. */
import { expect, test } from "bun:test";
import { addConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { rateHeaders, startLimited } from "../limiter/limited.ts";

const kit = sharedKit({ settings: { TRUSTED_PROXIES: "127.0.0.1, ::1" } });
const limit = (count: number, window = "1m") => ({ limit: count, window });
const WRONG_KEY = { "x-ag-api-key": "ag_wrong" };

test.each([
  ["400 for a wrong method", 400, "GET", "/v1/chat/completions", {}],
  ["400 for a malformed gateway slug", 400, "GET", "/v1/models", { "x-ag-gateway-slug": "!" }],
  ["401 for a wrong key", 401, "GET", "/v1/models", WRONG_KEY],
  ["404 for an unknown path", 404, "GET", "/v1/nothing", {}],
  ["404 for an unknown path and a wrong key", 404, "GET", "/v1/nothing", WRONG_KEY],
  ["404 for another gateway's slug", 404, "GET", "/v1/models", { "x-ag-gateway-slug": "other" }],
])("a %s has the headers and consumes no quota", async (_, status, method, path, headers) => {
  await using limited = await startLimited(await kit(), {
    limits: { global: limit(9), per_ip: limit(5), per_user: limit(3), per_fingerprint: limit(4) },
  });
  await limited.ask();

  const reply = await limited.call(path, { method, headers });

  expect(reply.status).toBe(status);
  expect(rateHeaders(reply, "global").slice(0, 2)).toEqual([9, 8]);
  expect(rateHeaders(reply, "per_ip").slice(0, 2)).toEqual([5, 4]);
  expect(rateHeaders(reply, "per_user").slice(0, 2)).toEqual([3, 2]);
  expect(rateHeaders(reply, "per_fingerprint")[0]).toBe(4);
  expect(rateHeaders(await limited.ask(), "global").slice(0, 2)).toEqual([9, 7]);
});

test("a 403 for a key of another consumer has the headers", async () => {
  await using limited = await startLimited(await kit(), { limits: { per_ip: limit(5) } });
  const { key } = await addConsumer(await kit(), limited.gateway, []);

  const reply = await limited.get("/v1/models", { "x-ag-api-key": key });

  expect([reply.status, rateHeaders(reply, "per_ip").slice(0, 2)]).toEqual([403, [5, 5]]);
});

test("a caller without a valid key does not see the usage of a named user", async () => {
  await using limited = await startLimited(await kit(), { limits: { per_user: limit(3) } });
  await limited.statuses(2, { "x-user-id": "jane" });

  const stranger = await limited.get("/v1/models", { ...WRONG_KEY, "x-user-id": "jane" });
  const caller = await limited.get("/v1/nothing", { "x-user-id": "jane" });

  expect(rateHeaders(stranger, "per_user").slice(0, 2)).toEqual([3, 3]);
  expect(rateHeaders(caller, "per_user").slice(0, 2)).toEqual([3, 1]);
});

test("an unknown consumer has no rate-limit headers", async () => {
  const reply = await (await kit()).get("/unknown/v1/models");

  expect(reply.status).toBe(404);
  expect([...reply.headers.keys()].filter((name) => name.startsWith("x-ratelimit"))).toEqual([]);
});
