/** /metrics: access and values. */
import { expect, test } from "bun:test";
import { METRICS } from "../../src/server/metrics.ts";
import { startCuttableProxy } from "../kit/cuttable-proxy.ts";
import { makeConsumer } from "../kit/dataplane.ts";
import { sharedKit, startKit } from "../kit/kit.ts";
import { parseMetrics, readMetrics } from "../kit/metrics.ts";
import { freshDatabase } from "../kit/services.ts";
import { until } from "../kit/until.ts";
import { type Script, startUpstream } from "../kit/upstream.ts";

const shared = sharedKit();
const CHAT = "/v1/chat/completions";

/** A kit of its own, whose metrics no other test moves, and a consumer of one upstream. */
async function setUp(script: Script = { body: { ok: true } }) {
  const kit = await startKit();
  const upstream = startUpstream(script);
  const consumer = await makeConsumer(kit, [{ provider: "openai", url: upstream.url }]);
  const [{ id: registry_id } = { id: "" }] = consumer.registries;
  return {
    kit,
    upstream,
    consumer,
    chat: async (headers?: Record<string, string>) => {
      const reply = await consumer.post(CHAT, { model: "m" }, headers);
      await reply.arrayBuffer();
      return reply.status;
    },
    metrics: () => readMetrics(kit.url),
    of: (name: string, more = "") =>
      `portcullis_upstream_${name}{registry_id="${registry_id}",provider="openai"${more}}`,
    async [Symbol.asyncDispose]() {
      await kit[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

test("metrics use the Prometheus text format, each with help and type", async () => {
  const kit = await shared();

  const reply = await kit.get("/metrics");
  const text = await reply.text();

  expect(reply.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
  expect([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)).toEqual(
    METRICS.map(({ name }) => name),
  );
  const metrics = parseMetrics(text);
  const { version } = await Bun.file("package.json").json();
  expect(metrics.get(`portcullis_build_info{version="${version}",bun="${Bun.version}"}`)).toBe(1);
  expect(metrics.get("process_cpu_seconds_total")).toBeGreaterThan(0);
  expect(metrics.get("process_resident_memory_bytes")).toBeGreaterThan(10_000_000);
  expect(metrics.get("process_start_time_seconds")).toBeWithin(
    Date.now() / 1000 - 3_600,
    Date.now() / 1000,
  );
  expect(metrics.get("portcullis_config_revision")).toBe(kit.deps.snapshot().revision);
});

test("metrics require an administrator token of any role", async () => {
  const kit = await shared();
  const { token } = await kit.make<{ token: string }>("/v1/tokens", { name: "v", role: "viewer" });

  const ask = (headers: Record<string, string>) => fetch(`${kit.url}/metrics`, { headers });
  const replies = [
    await ask({}),
    await ask({ authorization: "Bearer pa_wrong" }),
    await ask({ authorization: `Bearer ${token}` }),
  ];

  expect(replies.map(({ status }) => status)).toEqual([401, 401, 200]);
  expect(await replies[0]?.json()).toMatchObject({ error: "unauthorized" });
});

test("metrics cover all gateways, so a gateway-scoped token cannot read them", async () => {
  const kit = await shared();
  const gateway = await kit.make("/v1/gateways", { name: "g" });
  const { token } = await kit.make<{ token: string }>("/v1/tokens", {
    name: "limited",
    role: "admin",
    gateway_ids: [gateway.id],
  });

  const reply = await kit.call("GET", "/metrics", undefined, { authorization: `Bearer ${token}` });

  expect(reply.status).toBe(403);
});

test("METRICS_PUBLIC makes metrics public on every address", async () => {
  await using kit = await startKit({
    settings: {
      METRICS_PUBLIC: "true",
      PORTCULLIS_LISTEN_GATEWAY: "localhost:0",
      PORTCULLIS_PLANES: "admin,gateway",
    },
  });
  const urls = [kit.urls.admin, kit.urls.gateway];

  const replies = await Promise.all(urls.map((url) => fetch(`${url}/metrics`)));

  expect(new Set(urls).size).toBe(2);
  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
});

test("metrics count responses, errors, attempts and durations", async () => {
  await using at = await setUp((_, nth) => (nth === 2 ? { status: 400, body: {} } : { body: {} }));

  const statuses = [await at.chat(), await at.chat(), await at.chat({ "x-ag-api-key": "wrong" })];
  await until(async () => (await at.metrics()).get("portcullis_requests_in_flight") === 0);
  const metrics = await at.metrics();

  expect(statuses).toEqual([200, 400, 401]);
  const expected = {
    'portcullis_requests_total{plane="gateway",status="2xx"}': 1,
    'portcullis_requests_total{plane="gateway",status="4xx"}': 2,
    'portcullis_requests_total{plane="gateway",status="5xx"}': 0,
    'portcullis_errors_total{code="unauthorized"}': 1,
    'portcullis_errors_total{code="internal"}': 0,
    [at.of("attempts_total", ',outcome="2xx"')]: 1,
    [at.of("attempts_total", ',outcome="4xx"')]: 1,
    [at.of("circuit_open")]: 0,
    'portcullis_request_duration_seconds_count{endpoint="chat"}': 2,
    'portcullis_request_duration_seconds_bucket{endpoint="chat",le="600"}': 2,
    'portcullis_request_duration_seconds_bucket{endpoint="chat",le="+Inf"}': 2,
    'portcullis_request_first_byte_seconds_count{endpoint="chat"}': 2,
    portcullis_events_lost_total: 0,
    portcullis_database_up: 1,
  };
  expect(Object.fromEntries(metrics)).toMatchObject(expected);
  const sum = metrics.get('portcullis_request_duration_seconds_sum{endpoint="chat"}') ?? 0;
  expect(sum).toBeWithin(0.0001, 5);
  expect(metrics.get(at.of("latency_seconds"))).toBeWithin(0.0001, 5);
});

test("a request is in flight until its last byte is sent", async () => {
  const rest = Promise.withResolvers<void>();
  await using at = await setUp({ chunks: ["begun", rest.promise, "done"] });
  const names = ["portcullis_requests_in_flight", "portcullis_held_bytes", at.of("in_flight")];
  const now = async () => {
    const metrics = await at.metrics();
    return names.map((name) => metrics.get(name));
  };

  const reply = await at.consumer.post(CHAT, { model: "m" });
  const during = await now();
  rest.resolve();
  await reply.text();

  expect(during).toEqual([1, expect.any(Number), 1]);
  expect(during[1]).toBeGreaterThan(0);
  await until(async () => (await now()).join() === "0,0,0");
});

test("a registry that moves during a request has none in flight at its new address", async () => {
  const rest = Promise.withResolvers<void>();
  await using at = await setUp({ chunks: ["begun", rest.promise, "done"] });
  await using other = startUpstream({ body: {} });
  const path = `/v1/gateways/${at.consumer.gateway.id}/registries/${at.consumer.registries[0]?.id}`;

  const reply = await at.consumer.post(CHAT, { model: "m" });
  await at.kit.put(path, {
    provider_options: { base_url: other.url },
    auth: { type: "api_key", api_key: "sk-new" },
  });
  await at.chat();
  rest.resolve();
  await reply.text();
  await until(async () => (await at.metrics()).get("portcullis_requests_in_flight") === 0);

  expect(other.hits.length).toBe(1);
  expect((await at.metrics()).get(at.of("in_flight"))).toBe(0);
});

test("4.7.2 an open circuit is reported by registry id", async () => {
  await using at = await setUp({ status: 500, body: {} });

  for (let left = 5; left > 0; left--) await at.chat();
  const open = (await at.metrics()).get(at.of("circuit_open"));
  at.upstream.script({ body: {} });
  await at.chat();

  expect(open).toBe(1);
  expect((await at.metrics()).get(at.of("circuit_open"))).toBe(0);
  expect((await at.metrics()).get(at.of("attempts_total", ',outcome="5xx"'))).toBe(5);
});

test("no metric contains a consumer, user, key or address", async () => {
  await using at = await setUp();
  await at.chat({ "x-user-id": "jane@example.com", "user-agent": "agent-7" });

  const text = await (await at.kit.get("/metrics")).text();

  const { slug, id, key_id, key } = at.consumer;
  const names = [slug, id, key_id, key, "Consumer", "jane", "agent-7", "127.0.0.1"];
  expect(names.filter((name) => text.includes(name))).toEqual([]);
});

test("while Postgres is unavailable, metrics report it and the number of queued events", async () => {
  await using database = await freshDatabase("postgres");
  using line = startCuttableProxy(database.url);
  await using kit = await startKit({ database_url: line.url });
  const consumer = await makeConsumer(kit, [{ provider: "demo", url: "" }]);
  const now = async () => {
    const metrics = await readMetrics(kit.url);
    return ["database_up", "events_waiting"].map((name) => metrics.get(`portcullis_${name}`));
  };

  line.cut();
  await (await consumer.get("/v1/models")).text();
  await until(async () => (await now()).join() === "0,1");
  line.mend();

  await until(async () => (await now()).join() === "1,0");
});
