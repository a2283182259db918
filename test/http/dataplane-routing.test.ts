/** Routing: capabilities, model references, balancing and failover (spec 4.7). */
import { expect, test } from "bun:test";
import type { Attach } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import type { Script, Upstream } from "../kit/upstream.ts";

const kit = sharedKit();
const CHAT = "/v1/chat/completions";

const setUp = async (
  attach: Omit<Attach, "url">[],
  scripts?: Script[],
  more?: Record<string, unknown>,
) => await startConsumer(await kit(), attach, scripts, more);

const openai = { provider: "openai" };
const two = [openai, openai];
const codeOf = async (reply: Response) =>
  ((await reply.json()) as { error: { code: string } }).error.code;
const modelAt = (upstream: Upstream | undefined) =>
  JSON.parse(upstream?.hits[0]?.body.toString() ?? "{}").model;

test.each([
  ["openai", "/embeddings"],
  ["azure", "/openai/deployments/e-1/embeddings"],
  ["mistral", "/embeddings"],
  ["openai_compatible", "/embeddings"],
  ["cohere", "/embeddings"],
])("4.7.2 embeddings at %s go to %s", async (provider, path) => {
  await using one = await setUp([{ provider }]);

  await one.post("/v1/embeddings", { model: "e-1", input: "x" });

  expect(one.upstreams[0]?.hits[0]?.path).toBe(path);
});

test.each([
  ["chat at azure", "azure", CHAT, "/openai/deployments/m-1/chat/completions"],
  ["responses at azure", "azure", "/v1/responses", "/openai/responses"],
  ["responses at xai", "xai", "/v1/responses", "/responses"],
  ["messages at anthropic", "anthropic", "/v1/messages", "/messages"],
  ["chat at google", "google", CHAT, "/chat/completions"],
])("4.7.5 %s", async (_, provider, path, target) => {
  await using one = await setUp([{ provider }]);

  const reply = await one.post(path, { model: "m-1" });

  expect(reply.status).toBe(200);
  expect(one.upstreams[0]?.hits[0]?.path).toBe(target);
});

test("4.7.3 a pin to a registry without embeddings is a 400", async () => {
  await using one = await setUp([openai, { provider: "anthropic" }]);

  const reply = await one.post("/v1/embeddings", { model: "@anthropic/x", input: "x" });

  expect(reply.status).toBe(400);
  expect(one.hits()).toEqual([0, 0]);
});

test.each([
  ["@openai/gpt-4o", "openai", "gpt-4o"],
  ["@OpenAI/gpt-4o", "openai", "gpt-4o"],
  ["@ openai /gpt-4o", "openai", "gpt-4o"],
  ["@openrouter/a/b", "openrouter", "a/b"],
  ["openai/gpt-4o", "openai", "openai/gpt-4o"],
  ["pool:fast", "openai", "pool:fast"],
])("4.7.2 the model %j reaches %s as %j", async (model, provider, sent) => {
  await using one = await setUp([{ provider }]);

  const reply = await one.post(CHAT, { model });

  expect(reply.status).toBe(200);
  expect(modelAt(one.upstreams[0])).toBe(sent);
});

test.each(["@", "@openai", "@openai/", "@/x", "@a b/x", "@é/x"])(
  "4.7.2 the pin %j is malformed: 400",
  async (model) => {
    await using one = await setUp([openai]);

    const reply = await one.post(CHAT, { model });

    expect([reply.status, await codeOf(reply)]).toEqual([400, "invalid_model"]);
    expect(one.hits()).toEqual([0]);
  },
);

test("4.7.2 a pin to a provider that is not attached is a 403", async () => {
  await using one = await setUp([openai]);

  const reply = await one.post(CHAT, { model: "@groq/x" });

  expect([reply.status, await codeOf(reply)]).toEqual([403, "model_not_allowed"]);
});

test.each([
  ["auto", undefined],
  ["AUTO", undefined],
])("4.7.2 the model %j becomes a default", async (model) => {
  await using one = await setUp([openai, { ...openai, models: { default: "d-1" } }]);

  const reply = await one.post(CHAT, { model });

  expect(reply.status).toBe(200);
  expect(one.hits()).toEqual([0, 1]);
  expect(modelAt(one.upstreams[1])).toBe("d-1");
});

test("4.7.2 `auto` without any default is a 403", async () => {
  await using one = await setUp([openai]);

  const reply = await one.post(CHAT, { model: "auto" });

  expect(reply.status).toBe(403);
});

test("4.7.2 `modelId` is a 400", async () => {
  await using one = await setUp([openai]);

  const reply = await one.post(CHAT, { modelId: "x" });

  expect([reply.status, await codeOf(reply)]).toEqual([400, "invalid_model"]);
});

test("4.7.2 a missing model becomes the default, added after the other members", async () => {
  await using one = await setUp([{ ...openai, models: { default: "d-1" } }]);

  await one.post(CHAT, '{"big":12345678901234567890, "stream":false}');

  expect(one.upstreams[0]?.hits[0]?.body.toString()).toBe(
    '{"big":12345678901234567890, "stream":false,"model":"d-1"}',
  );
});

test("4.7.2 a missing model with an allow-list and no default is a 403", async () => {
  await using one = await setUp([{ ...openai, models: { allowed: ["a"] } }]);

  const reply = await one.post(CHAT, {});

  expect([reply.status, await codeOf(reply)]).toEqual([403, "model_not_allowed"]);
});

test("4.7.2 a missing model without an allow-list is forwarded unchanged", async () => {
  await using one = await setUp([openai]);

  const reply = await one.post(CHAT, '{"a":1}');

  expect(reply.status).toBe(200);
  expect(one.upstreams[0]?.hits[0]?.body.toString()).toBe('{"a":1}');
});

test.each([
  ["gpt-4o-mini", 200],
  ["gpt-4o", 200],
  ["GPT-4o", 403],
  ["xgpt-4o", 403],
  ["gpt-4o*", 403],
  ["", 403],
  [7, 403],
])("4.7.2 the allow-list `gpt-4o*` checks %j with %d", async (model, status) => {
  await using one = await setUp([{ ...openai, models: { allowed: ["gpt-4o*"] } }]);

  const reply = await one.post(CHAT, { model });

  expect(reply.status).toBe(status);
});

test("4.7.2 a second `model` cannot bypass the allow-list", async () => {
  await using one = await setUp([{ ...openai, models: { allowed: ["good"] } }]);

  const bad = await one.post(CHAT, '{"model":"good","model":"bad"}');
  const good = await one.post(CHAT, '{"model":"bad","a":1,"model":"good"}');

  expect([bad.status, good.status]).toEqual([403, 200]);
  expect(one.upstreams[0]?.hits[0]?.body.toString()).toBe('{"model":"good","a":1,"model":"good"}');
});

test("4.7.2 the model is checked only at capable registries", async () => {
  await using one = await setUp([
    { ...openai, models: { allowed: ["gpt-4o"] } },
    { provider: "groq" },
  ]);

  const reply = await one.post("/v1/images/generations", { model: "dall-e-3" });

  expect([reply.status, await codeOf(reply)]).toEqual([403, "model_not_allowed"]);
});

test("4.7.4 disabled registries are ignored: 503", async () => {
  await using one = await setUp([{ ...openai, enabled: false }]);

  const reply = await one.post(CHAT, { model: "x" });

  expect(reply.status).toBe(503);
});

test("4.7.1 a registry's capability list restricts that of its kind", async () => {
  await using one = await setUp([{ ...openai, capabilities: ["chat"] }]);

  const images = await one.post("/v1/images/generations", { model: "x" });
  const pinned = await one.post("/v1/images/generations", { model: "@openai/x" });
  const chat = await one.post(CHAT, { model: "x" });

  expect([images.status, pinned.status, chat.status]).toEqual([503, 400, 200]);
});

test("4.7.3 X-AG-Pin follows the rules of a pin in the model", async () => {
  await using one = await setUp([
    { ...openai, name: "A" },
    { provider: "groq", name: "B" },
  ]);
  const images = "/v1/images/generations";

  const replies = await Promise.all([
    one.post(images, { model: "x" }, { "x-ag-pin": "B" }),
    one.post(images, { model: "x" }, { "x-ag-pin": "@groq" }),
    one.post(images, { model: "x" }, { "x-ag-pin": "@xai" }),
    one.post(images, { model: "x" }, { "x-ag-pin": "unknown" }),
    one.post(images, { model: "x" }, { "x-ag-pin": "@" }),
    one.post(images, { model: "@openai/x" }, { "x-ag-pin": "B" }),
    one.post(images, { model: "x" }, { "x-ag-pin": "A" }),
  ]);

  expect(replies.map(({ status }) => status)).toEqual([400, 400, 403, 403, 400, 403, 200]);
});

test.each(["../x", "a/b", "a?b", "a#b", "..", ".", "a\\b", "a\u0000b", ""])(
  "Azure rejects the model name %j with a 400, and no upstream is called",
  async (model) => {
    await using one = await setUp([{ provider: "azure" }]);

    const reply = await one.post(CHAT, { model });

    expect([reply.status, await codeOf(reply)]).toEqual([400, "invalid_model"]);
    expect(one.hits()).toEqual([0]);
  },
);

test("Azure paths contain the model name percent-encoded", async () => {
  await using one = await setUp([{ provider: "azure" }]);

  await one.post(CHAT, { model: "my model%2F:é" });

  const [hit] = one.upstreams[0]?.hits ?? [];
  expect(hit?.path).toBe("/openai/deployments/my%20model%252F%3A%C3%A9/chat/completions");
});

test.each([
  ["equal weights", [1, 1], 4, [2, 2]],
  ["weights 3 to 1", [3, 1], 8, [6, 2]],
])("4.7.2 round robin with %s", async (_, weights, calls, expected) => {
  await using one = await setUp(weights.map((weight) => ({ ...openai, weight })));

  for (let n = 0; n < calls; n++) await one.post(CHAT, { model: "x" });

  expect(one.hits()).toEqual(expected);
});

test("4.7.2 least_in_flight counts a request until its stream ends", async () => {
  const rest = Promise.withResolvers<void>();
  const slow = { chunks: ["a", rest.promise, "b"] };
  await using one = await setUp(two, [slow], { balancing: { algorithm: "least_in_flight" } });

  const stream = await one.post(CHAT, { model: "x" });
  for (let n = 0; n < 3; n++) await one.post(CHAT, { model: "x" });
  const busy = one.hits();
  rest.resolve();
  await stream.text();
  await Bun.sleep(50);
  for (let n = 0; n < 2; n++) await (await one.post(CHAT, { model: "x" })).text();

  expect(busy).toEqual([1, 3]);
  expect(one.hits()).toEqual([2, 4]);
});

test("4.7.2 latency prefers the faster registry", async () => {
  await using one = await setUp(two, [{ delay_ms: 300 }], { balancing: { algorithm: "latency" } });

  for (let n = 0; n < 12; n++) await one.post(CHAT, { model: "x" });

  // With two registries both are always compared, so the slow one is used once to measure it.
  expect(one.hits()[0]).toBeLessThanOrEqual(1);
});

test("4.7.2 sticky keeps a user at one registry, and distributes users", async () => {
  await using one = await setUp([openai, openai, openai], [], {
    balancing: { algorithm: "sticky" },
  });
  const users = Array.from({ length: 12 }, (_, n) => `user-${n}`);
  const placeOf = async (user: string) =>
    (await one.post(CHAT, { model: "x" }, { "x-user-id": user })).headers.get("x-ag-registry");

  const once = await Promise.all(users.map(placeOf));
  const again = await Promise.all(users.map(placeOf));

  expect(again).toEqual(once);
  expect(new Set(once).size).toBeGreaterThan(1);
});

const failing = (status: number, headers: Record<string, string> = {}): Script => ({
  status,
  headers,
  body: { error: { status } },
});

test.each([
  ["503", failing(503)],
  ["429", failing(429)],
  ["529", failing(529)],
])("4.7.2 after a %s the next registry is used", async (_, script) => {
  await using one = await setUp(two, [script]);

  const reply = await one.post(CHAT, { model: "x" });

  expect(reply.status).toBe(200);
  expect(one.hits()).toEqual([1, 1]);
});

test("4.7.2 an unreachable upstream is skipped", async () => {
  await using one = await setUp(two);
  await one.upstreams[0]?.[Symbol.asyncDispose]();

  const replies = [await one.post(CHAT, { model: "x" }), await one.post(CHAT, { model: "x" })];

  expect(replies.map(({ status }) => status)).toEqual([200, 200]);
});

test("1.2 a 500 is not retried, because it may be billed already", async () => {
  await using one = await setUp(two, [failing(500)]);

  const reply = await one.post(CHAT, { model: "x" });

  expect(reply.status).toBe(500);
  expect(await reply.json()).toEqual({ error: { status: 500 } });
  expect(one.hits()).toEqual([1, 0]);
});

test("4.7.2 with resend_billable a 500 is retried", async () => {
  await using one = await setUp(two, [failing(500)], { failover: { resend_billable: true } });

  const reply = await one.post(CHAT, { model: "x" });

  expect(reply.status).toBe(200);
  expect(one.hits()).toEqual([1, 1]);
});

test("4.7.2 with failover disabled the first response is relayed", async () => {
  await using one = await setUp(two, [failing(503)], { failover: { enabled: false } });

  const reply = await one.post(CHAT, { model: "x" });

  expect(reply.status).toBe(503);
  expect(one.hits()).toEqual([1, 0]);
});

test("4.7.2 a 400 is relayed at once", async () => {
  await using one = await setUp(two, [failing(400)], { failover: { resend_billable: true } });

  const reply = await one.post(CHAT, { model: "x" });

  expect(reply.status).toBe(400);
  expect(one.hits()).toEqual([1, 0]);
});

test("4.7.2 failover of a pinned request stays within its kind", async () => {
  await using one = await setUp([openai, { provider: "groq" }], [failing(503)]);

  const reply = await one.post(CHAT, { model: "@openai/x" });

  expect(reply.status).toBe(503);
  expect(one.hits()).toEqual([1, 0]);
});

test("4.7.2 when all fail the last response is relayed", async () => {
  await using one = await setUp(two, [failing(503), failing(429)]);

  const reply = await one.post(CHAT, { model: "x" });

  expect(reply.status).toBe(429);
  expect(one.hits()).toEqual([1, 1]);
});

test("4.7.2 an upstream's error response takes precedence over an unreachable upstream", async () => {
  await using one = await setUp(two, [failing(503)]);
  await one.upstreams[1]?.[Symbol.asyncDispose]();

  const reply = await one.post(CHAT, { model: "x" });

  expect(reply.status).toBe(503);
  expect(await reply.json()).toEqual({ error: { status: 503 } });
});

test("4.7.2 max_attempts counts all registries", async () => {
  const all = [openai, openai, openai];
  await using one = await setUp(
    all,
    all.map(() => failing(503)),
    { failover: { max_attempts: 2 } },
  );

  const reply = await one.post(CHAT, { model: "x" });

  expect(reply.status).toBe(503);
  expect(one.hits().reduce((sum, hits) => sum + hits)).toBe(2);
});

test("4.7.2 no attempt starts after max_total_ms", async () => {
  const slow: Script = { status: 503, delay_ms: 150 };
  await using one = await setUp(two, [slow, slow], { failover: { max_total_ms: 100 } });

  const reply = await one.post(CHAT, { model: "x" });

  expect(reply.status).toBe(503);
  expect(one.hits()).toEqual([1, 0]);
});

test.each([429, 503, 529])(
  "4.7.2 a registry that sent %d and Retry-After is skipped while others are available",
  async (status) => {
    await using one = await setUp(two, [failing(status, { "retry-after": "30" })]);

    for (let n = 0; n < 5; n++) await one.post(CHAT, { model: "x" });

    expect(one.hits()).toEqual([1, 5]);
  },
);

test("4.7.2 five consecutive failures open the circuit", async () => {
  await using one = await setUp(two, [failing(500)]);

  for (let n = 0; n < 20; n++) await one.post(CHAT, { model: "x" });

  expect(one.hits()).toEqual([5, 15]);
});

test("4.7.2 a rejected credential opens the circuit at once, and a new one closes it", async () => {
  await using one = await setUp(two, [failing(401)]);

  for (let n = 0; n < 6; n++) await one.post(CHAT, { model: "x" });
  const open = one.hits();
  one.upstreams[0]?.script({ body: {} });
  const path = `/v1/gateways/${one.gateway.id}/registries/${one.registries[0]?.id}`;
  await (await kit()).put(path, { auth: { type: "api_key", api_key: "sk-another-key-000" } });
  for (let n = 0; n < 4; n++) await one.post(CHAT, { model: "x" });

  expect(open).toEqual([1, 5]);
  expect(one.hits()).toEqual([3, 7]);
});

test("4.7.2 when every circuit is open the request is still sent", async () => {
  await using one = await setUp([openai], [failing(401)]);

  await one.post(CHAT, { model: "x" });
  const reply = await one.post(CHAT, { model: "x" });

  expect(reply.status).toBe(401);
  expect(one.hits()).toEqual([2]);
});
