/** Statistics count every request and evaluation, over time and by status, consumer, model and detector. */
import { describe, expect, test } from "bun:test";
import type { ActivityStatistics, RequestStatistics } from "../../src/contract/statistics.ts";
import { addTrafficCounts, type TrafficCount } from "../../src/db/tables/traffic-counts.ts";
import { sweep } from "../../src/server/sweep.ts";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { seeded } from "../kit/random.ts";
import { databaseKinds } from "../kit/services.ts";
import { until } from "../kit/until.ts";

const sum = (numbers: readonly number[] = []) => numbers.reduce((total, each) => total + each, 0);

describe.each(databaseKinds)("%s", (database) => {
  const shared = sharedKit({ database });

  async function makeTraffic() {
    const kit = await shared();
    const gateway = await kit.make("/v1/gateways", { name: `g ${Math.random()}` });
    const path = `/v1/gateways/${gateway.id}`;
    const registry = await kit.make(`${path}/registries`, { name: "r", provider: "demo" });
    const consumer = await kit.make<{ id: string; slug: string }>(`${path}/consumers`, {
      name: "c",
      registries: [{ id: registry.id, models: { allowed: ["demo-chat"] } }],
    });
    const { key } = await kit.make<{ key: string }>(`${path}/consumers/${consumer.id}/keys`, {
      name: "k",
    });
    const chat = async (model: string) => {
      const reply = await fetch(`${kit.url}/${consumer.slug}/v1/chat/completions`, {
        method: "POST",
        headers: { "x-ag-api-key": key, "content-type": "application/json" },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
      });
      await reply.text();
    };
    const read = async (query = "") =>
      (await (await kit.get(`${path}/statistics${query}`)).json()) as RequestStatistics;
    return { kit, path, registry, consumer, chat, read };
  }

  test.each([
    "to=9999-12-31T23:59:59.999Z",
    "from=9999-12-31T00:00:00Z&to=9999-12-31T23:59:59-12:00",
    "to=0000-01-01T00:00:00Z",
  ])("a range that no response can express is a 422: %s", async (query) => {
    const { kit, path } = await makeTraffic();

    for (const of of [path, "/v1/activity"]) {
      expect((await kit.get(`${of}/statistics?${query}`)).status).toBe(422);
    }
  });

  test("requests are counted by status, consumer, model, registry and error, with tokens and latency", async () => {
    const { registry, consumer, chat, read } = await makeTraffic();
    for (let at = 0; at < 5; at++) await chat("demo-chat");
    for (let at = 0; at < 2; at++) await chat("other");

    await until(async () => (await read()).totals.requests === 7);
    const found = await read();

    expect(found.totals).toMatchObject({ requests: 7, errors: 2, rate_limited: 0 });
    expect(found.totals.output_tokens).toBeGreaterThan(0);
    expect(found.previous).toMatchObject({ requests: 0 });
    expect(sum(found.by_status["2xx"])).toBe(5);
    expect(sum(found.by_status["4xx"])).toBe(2);
    expect(sum(found.output_tokens)).toBe(found.totals.output_tokens);
    const intervals = (Date.parse(found.to) - Date.parse(found.from)) / 1000 / found.step_s;
    expect(found.by_status["2xx"]?.length).toBe(intervals);
    expect(found.consumers).toEqual([{ consumer_id: consumer.id, requests: 7, errors: 2 }]);
    expect(found.models).toMatchObject([{ model: "demo-chat", requests: 5 }]);
    expect(found.errors).toEqual([{ status: 403, error_code: "model_not_allowed", requests: 2 }]);
    expect(found.registries).toMatchObject([
      { registry_id: registry.id, requests: 5, p50_ms: expect.any(Number) },
    ]);
    const failed = await read("?status=403");
    expect(failed.totals.requests).toBe(2);
  });

  test("a range of 30 days is counted by hours, and an invalid range is rejected", async () => {
    const { kit, path, chat, read } = await makeTraffic();
    await chat("demo-chat");
    const from = new Date(Date.now() - 30 * 86_400_000).toISOString();

    await until(async () => (await read(`?from=${from}`)).totals.requests === 1);
    const found = await read(`?from=${from}`);

    expect(found.step_s % 3600).toBe(0);
    const to = new Date(Date.now() - 31 * 86_400_000).toISOString();
    const reversed = await kit.get(`${path}/statistics?from=${from}&to=${to}`);
    expect(reversed.status).toBe(422);
    expect(await reversed.text()).toContain("must be before");
    const long = await kit.get(`${path}/statistics?from=2020-01-01T00:00:00Z`);
    expect(long.status).toBe(422);
  });

  test("totals are exact for ranges that begin and end within a day or an hour, and for the range before", async () => {
    const { kit, path, read, consumer, registry } = await makeTraffic();
    const { pick, below } = seeded(19);
    const now = Math.floor(Date.now() / 60_000) * 60;
    const counts = Array.from({ length: 400 }, (_, index): TrafficCount => {
      const status = pick([200, 404]);
      const labels = [consumer.id, registry.id, "demo-chat", status, status === 404 ? "x" : ""];
      const time = now - 60 * below(index % 2 ? 60 * 24 * 2 : 60 * 24 * 60);
      const gateway_id = path.split("/").at(-1) ?? "";
      return { counter: "requests", gateway_id, time, labels, sums: [1 + below(3), 10, 0] };
    });
    for (let at = 0; at < counts.length; at += 100)
      await addTrafficCounts(kit.db, counts.slice(at, at + 100));
    const total = (from: string | number, to: string) => {
      const [start, end] = [new Date(from).getTime() / 1000, Date.parse(to) / 1000];
      const own = counts.filter(({ time }) => time >= start && time < end);
      return sum(own.map(({ sums }) => sums[0] ?? 0));
    };

    await sweep(kit.deps);
    const ago = (hours: number) => new Date((now - hours * 3600) * 1000).toISOString();
    for (const [from = 0, to = 0] of [[0.5], [3], [24], [48, 24], [24 * 7], [24 * 30]]) {
      const query = `from=${ago(from)}&to=${ago(to)}`;
      const found = await read(`?${query}`);
      const requests = total(found.from, found.to);
      expect(found.totals.requests).toBe(requests);
      expect(sum(Object.values(found.by_status).flat())).toBe(requests);
      expect(found.consumers.map((each) => each.requests)).toEqual(requests ? [requests] : []);
      expect((await read(`?${query}&consumer_id=${consumer.id}`)).totals).toEqual(found.totals);
      const length = Date.parse(found.to) - Date.parse(found.from);
      const before = total(Date.parse(found.from) - length, found.from);
      expect(found.previous.requests).toBe(before);
    }
  });

  test("evaluations are counted by verdict, and findings by detector and kind", async () => {
    const kit = await shared();
    const guard = await makeGuardWithRules(kit, "data_loss_prevention");
    for (const input of ["hello", "write to jo@example.com", "or to al@example.com"]) {
      await guard.send({ payload: { input } });
    }
    const path = `/v1/activity/statistics?collector_id=${guard.collector.id}`;

    const found = (await (await kit.get(path)).json()) as ActivityStatistics;

    expect(found.totals).toEqual({ allow: 1, block: 2 });
    expect(sum(found.by_status.block)).toBe(2);
    expect(found.previous_total).toBe(0);
    expect(found.types).toContainEqual({ type: "pii", findings: expect.any(Number) });
    expect(found.detectors.length).toBeGreaterThan(0);
  });
});
