import { expect, test } from "bun:test";
import { startCuttableProxy } from "../kit/cuttable-proxy.ts";
import { makeGuard } from "../kit/guard.ts";
import { startKit } from "../kit/kit.ts";
import { freshDatabase } from "../kit/services.ts";
import { until } from "../kit/until.ts";

const GATE = { name: "ask", when: { field: "consumer.id", op: "eq", value: "ana" }, action: "ask" };

test.concurrent("Postgres unavailable: evaluations continue, and their events are written later", async () => {
  const { url } = await freshDatabase("postgres");
  using line = startCuttableProxy(url);
  await using kit = await startKit({ database_url: line.url });
  const guard = await makeGuard(kit, { gates: [GATE] });
  line.cut();
  const plain = await guard.evaluate({ payload: { input: "x" } }, { "idempotency-key": "away" });
  const pending = await guard.evaluate({ payload: { input: "x" }, consumer_id: "ana" });
  line.mend();

  await until(async () => {
    const reply = await kit.get(`/v1/activity?collector_id=${guard.collector.id}`);
    return reply.ok && (await reply.json()).items.length === 2;
  });

  expect([plain.status, pending.status]).toEqual(["allow", "ask"]);
  expect(pending.findings[0]?.evidence.approval_id).toBeNull();
}, 30_000);

test.concurrent("Postgres frozen: queries fail in time, evaluations continue, and both recover", async () => {
  const { url } = await freshDatabase("postgres");
  using line = startCuttableProxy(url);
  await using kit = await startKit({ database_url: line.url });
  const guard = await makeGuard(kit, { gates: [GATE] });
  line.freeze();
  const [pending, once, listed, written] = await Promise.all([
    guard.evaluate({ payload: { input: "x" }, consumer_id: "ana" }),
    guard.evaluate({ payload: { input: "x" } }, { "idempotency-key": "frozen" }),
    kit.get("/v1/gateways"),
    kit.post("/v1/gateways", { name: "lost" }),
  ]);
  const metrics = await (await kit.get("/metrics")).text();
  const began = performance.now();
  const again = await guard.evaluate({ payload: { input: "y" }, consumer_id: "ana" });
  const took = performance.now() - began;
  line.thaw();

  await until(async () => {
    const reply = await kit.get(`/v1/activity?collector_id=${guard.collector.id}`);
    return reply.ok && (await reply.json()).items.length === 3;
  });

  expect([pending.status, once.status, again.status]).toEqual(["ask", "allow", "ask"]);
  expect([listed.status, written.status]).toEqual([503, 503]);
  expect(metrics).toContain("portcullis_database_up 0");
  // Known to be away, it is not waited for again.
  expect(took).toBeLessThan(1_000);
  expect((await kit.post("/v1/gateways", { name: "back" })).status).toBe(201);
}, 30_000);

test.concurrent("queued events do not reappear after an erasure", async () => {
  const { url } = await freshDatabase("postgres");
  using line = startCuttableProxy(url);
  await using kit = await startKit({ database_url: line.url });
  const guard = await makeGuard(kit, {});
  line.cut();
  await guard.evaluate({ payload: { input: "x" }, consumer_id: "ana" });
  await until(async () => kit.lines.some((text) => text.includes("evaluations_held")));
  line.mend();

  await until(async () => {
    const reply = await kit.call("POST", "/v1/activity/erase", { consumer_id: "ana" });
    return reply.ok;
  });
  await Bun.sleep(1_500); // longer than it waits before it tries again
  const listed = await kit.get("/v1/activity?consumer_id=ana");

  expect((await listed.json()).items).toEqual([]);
}, 30_000);
