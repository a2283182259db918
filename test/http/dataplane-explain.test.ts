/** The explain endpoint: the routing of a real request, with nothing sent. */
import { expect, test } from "bun:test";
import type { Explanation } from "../../src/contract/gateway/explain.ts";
import { makeConsumer } from "../kit/dataplane.ts";
import { makeDetector, makePolicy } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import { startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();

async function setUp() {
  const upstream = startUpstream();
  const { url } = upstream;
  const one = await makeConsumer(await kit(), [
    { provider: "openai", url, models: { allowed: ["gpt-*"], default: "gpt-4o" } },
    { provider: "groq", url },
    { provider: "azure", url },
    { provider: "mistral", url, enabled: false },
  ]);
  const explain = async (request: Record<string, unknown>) =>
    (await (await (await kit()).post(`${one.path}/explain`, request)).json()) as Explanation;
  return {
    ...one,
    upstream,
    explain,
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
}

test("it returns which registries are candidates, why others are not, and the upstream address", async () => {
  await using one = await setUp();

  const explanation = await one.explain({ path: "/v1/images/generations", model: "gpt-image-1" });

  expect(explanation).toMatchObject({
    endpoint: "images.generations",
    capability: "images",
    refusal: null,
  });
  expect(explanation.registries.map(({ in: inside, reason }) => [inside, reason])).toEqual([
    [true, null],
    [false, "capability"],
    [true, null],
    [false, "disabled"],
  ]);
  expect(explanation.registries[2]?.url).toBe(
    `${one.upstream.url}/openai/deployments/gpt-image-1/images/generations?api-version=2024-10-21`,
  );
  expect([...explanation.order].sort()).toEqual(
    [one.registries[0]?.id ?? "", one.registries[2]?.id ?? ""].sort(),
  );
});

test("an explanation uses no turn, and its order is that of the next request", async () => {
  await using one = await setUp();
  const request = { path: "/v1/chat/completions", model: "gpt-4o" };

  const first = await one.explain(request);
  const again = await one.explain(request);
  const { headers } = await one.post("/v1/chat/completions", { model: "gpt-4o" });

  expect(again).toEqual(first);
  expect(headers.get("x-ag-registry")).toBe(first.order[0] ?? "");
  expect(one.upstream.hits.length).toBe(1);
});

test("a registry of another API format is tried last, with the translated address", async () => {
  await using one = await startConsumer(await kit(), [
    { provider: "openai_compatible" },
    { provider: "anthropic", capabilities: ["messages"] },
  ]);
  const [compatible, anthropic] = one.registries;
  const explain = async (path: string) => {
    const reply = await (await kit()).post(`${one.path}/explain`, { path, model: "m" });
    return (await reply.json()) as Explanation;
  };
  const show = ({ registries }: Explanation) =>
    registries.map(({ dialect, translated, url }) => [dialect, translated, url]);
  const [chatUrl, messagesUrl] = [
    `${one.upstreams[0]?.url}/chat/completions`,
    `${one.upstreams[1]?.url}/messages`,
  ];

  const messages = await explain("/v1/messages?beta=true");
  const chat = await explain("/v1/chat/completions");

  expect(messages.order).toEqual([anthropic?.id ?? "", compatible?.id ?? ""]);
  expect(show(messages)).toEqual([
    ["chat", true, chatUrl],
    ["messages", false, `${messagesUrl}?beta=true`],
  ]);
  expect(chat.order).toEqual([compatible?.id ?? "", anthropic?.id ?? ""]);
  expect(show(chat)).toEqual([
    ["chat", false, chatUrl],
    ["messages", true, messagesUrl],
  ]);
});

test.each([
  [{ path: "/v1/nothing" }, 404, "not_found"],
  [{ path: "/v1/images/edits", method: "GET" }, 400, "invalid_request"],
  [{ path: "/v1/audio/speech", model: "@mistral/x" }, 403, "model_not_allowed"],
  [{ path: "/v1/files", method: "GET", headers: { "X-AG-Pin": "@groq" } }, 400, "invalid_request"],
  [{ path: "/v1/rerank", model: "x" }, 503, "no_backend_available"],
  [{ path: "/v1/chat/completions", model: "@" }, 400, "invalid_model"],
])("for %j it returns the rejection: %d %s", async (request, status, code) => {
  await using one = await setUp();

  const explanation = await one.explain(request);

  expect(explanation.refusal).toMatchObject({ status, code });
  expect(explanation.order).toEqual([]);
});

test("a registry that failed recently is excluded while others are available", async () => {
  await using one = await setUp();
  one.upstream.script({ status: 401 });
  const pin = { "x-ag-pin": "@openai" };
  await one.post("/v1/chat/completions", { model: "gpt-4o" }, pin);

  const explanation = await one.explain({ path: "/v1/chat/completions", model: "gpt-4o" });

  expect(explanation.registries[0]).toMatchObject({ in: false, reason: "unhealthy" });
});

test("invalid headers are a 422", async () => {
  await using one = await setUp();

  const request = { path: "/v1/models", headers: { "not a header": "x" } };
  const reply = await (await kit()).post(`${one.path}/explain`, request);

  expect(reply.status).toBe(422);
});

test("more than 100 headers are a 422", async () => {
  await using one = await setUp();
  const shared = await kit();
  const send = (count: number) => {
    const headers = Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, "v"]));
    return shared.post(`${one.path}/explain`, { path: "/v1/models", method: "GET", headers });
  };

  const accepted = await send(100);
  const rejected = await send(101);

  expect(accepted.status).toBe(200);
  expect(rejected.status).toBe(422);
  expect(await rejected.text()).toContain("headers: must have at most 100 headers");
});

test("the consumer of another gateway is a 404", async () => {
  await using one = await setUp();
  const other = await makeConsumer(await kit(), []);

  const path = `/v1/gateways/${other.gateway.id}/consumers/${one.id}/explain`;
  const reply = await (await kit()).post(path, { path: "/v1/models" });

  expect(reply.status).toBe(404);
});

test("it returns which policy evaluates which parts of a request", async () => {
  const shared = await kit();
  await using it = await makeGuardedConsumer(shared, { name: "Strict" });
  const strict = { id: it.policy.id, name: "Strict", version: 1, mode: "enforce" };
  const explain = async (path: string, method = "POST") => {
    const reply = await shared.post(`${it.path}/explain`, { path, method, model: "gpt-4o" });
    return (await reply.json()) as Explanation;
  };

  const chat = await explain("/v1/chat/completions");
  expect(chat.guard).toMatchObject({
    collector: { id: it.collector.id },
    policy: strict,
    ...{ input: true, output: true, stream: "exact", on_ask: "block" },
  });
  const images = await explain("/v1/images/generations");
  expect(images.guard).toMatchObject({ input: true, output: false });
  expect((await explain("/v1/files", "GET")).guard).toMatchObject({ input: false, output: false });
  expect((await explain("/v1/files")).guard).toMatchObject({ input: true });
  expect((await explain("/v1/models", "GET")).guard).toBeNull();
  expect((await explain("/v1/rerank")).guard).toBeNull();

  const { id: detector_id } = await makeDetector(shared, "doc_analyzer");
  const input_rules = [{ detector_id, action: "report" }];
  const lenient = await makePolicy(shared, { mode: "observe", input_rules });
  const override = `/v1/collectors/${it.collector.id}/overrides/${it.id}`;
  await shared.put(override, { policy_id: lenient.id });
  await shared.put(it.path, { guard: { collector_id: it.collector.id, llm: { output: false } } });
  const overridden = await explain("/v1/chat/completions");
  expect(overridden.guard).toMatchObject({
    policy: { id: lenient.id, mode: "observe" },
    ...{ input: true, output: false },
  });
  await shared.put(it.path, { guard: { off: true } });
  expect((await explain("/v1/chat/completions")).guard).toBeNull();
});

test("a guard without its collector is explained as the rejection of the request", async () => {
  const shared = await kit();
  await using it = await makeGuardedConsumer(shared, {});
  await shared.db.run("DELETE FROM collectors WHERE id = $1", it.collector.id);
  await shared.make("/v1/gateways", { name: "later" });

  const reply = await shared.post(`${it.path}/explain`, {
    path: "/v1/chat/completions",
    model: "m",
  });
  const sent = await it.post("/v1/chat/completions", { model: "m", messages: [] });

  expect(await reply.json()).toMatchObject({
    guard: null,
    refusal: { status: 503, code: "guard_unavailable" },
  });
  expect(sent.status).toBe(503);
});
