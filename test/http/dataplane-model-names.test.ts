/** Model names: maps to the names of an upstream, and fallback models. */
import { expect, test } from "bun:test";
import type { Attach } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import type { Script, Upstream } from "../kit/upstream.ts";

const kitOf = sharedKit();
const CHAT = "/v1/chat/completions";

const setUp = async (
  attach: Omit<Attach, "url">[],
  scripts?: Script[],
  more?: Record<string, unknown>,
) => await startConsumer(await kitOf(), attach, scripts, more);

const modelsAt = (upstream: Upstream | undefined) =>
  (upstream?.hits ?? []).map(({ body }) => JSON.parse(body.toString()).model);

const MAP = {
  "gpt-4o": "my-deployment",
  "claude-*": "anthropic/claude-*",
  "claude-haiku*": "small",
  "*": "other-*",
};

test.each([
  ["an exact name", "gpt-4o", "my-deployment"],
  ["what `*` matched is carried over", "claude-opus-4", "anthropic/claude-opus-4"],
  [
    "the longest pattern wins, and a target without `*` is the whole name",
    "claude-haiku-4",
    "small",
  ],
  ["`*` alone matches every other name", "x", "other-x"],
])("map: %s", async (_, model, sent) => {
  await using one = await setUp([{ provider: "openai", models: { map: MAP } }]);

  await one.post(CHAT, { model, messages: [] });

  expect(modelsAt(one.upstreams[0])).toEqual([sent]);
});

test("each registry receives its own name, and a body without a mapped name is sent byte for byte", async () => {
  const failing: Script = { status: 503, body: {} };
  const mapped = { provider: "openai", models: { map: { "gpt-4o": "deployment" } } };
  await using one = await setUp([mapped, { provider: "openai" }], [failing, {}]);
  const body = '{"messages": [],  "model":"gpt-4o" }';

  await one.call(CHAT, { method: "POST", body, headers: { "content-type": "application/json" } });

  expect(modelsAt(one.upstreams[0])).toEqual(["deployment"]);
  expect(one.upstreams[1]?.hits[0]?.body.toString()).toBe(body);
});

test("a mapped name becomes part of the upstream's address", async () => {
  await using one = await setUp([
    { provider: "azure", models: { map: { "gpt-4o": "team-deployment" } } },
  ]);

  await one.post(CHAT, { model: "gpt-4o", messages: [] });

  expect(one.upstreams[0]?.hits[0]?.path).toBe(
    "/openai/deployments/team-deployment/chat/completions",
  );
});

test("the allow-list checks the name that the client sends", async () => {
  const models = { allowed: ["cheap"], map: { cheap: "vendor/small", other: "vendor/large" } };
  await using one = await setUp([{ provider: "openai", models }]);

  const allowed = await one.post(CHAT, { model: "cheap", messages: [] });
  const direct = await one.post(CHAT, { model: "vendor/small", messages: [] });
  const other = await one.post(CHAT, { model: "other", messages: [] });

  expect([allowed.status, direct.status, other.status]).toEqual([200, 403, 403]);
});

test.each([
  ["with an allow-list", { allowed: ["a"], map: { a: "small" } }, { model: "a", models: ["a"] }],
  ["without an allow-list", { map: { "*": "small" } }, { model: "a", models: ["large"] }],
  ["without a model", { map: { "*": "small" } }, { models: ["large"] }],
])("another member cannot name a model that the map replaces: %s", async (_, models, body) => {
  await using one = await setUp([{ provider: "openai", models }]);

  const reply = await one.post(CHAT, { ...body, messages: [] });

  expect(reply.status).toBe(403);
  expect(one.upstreams[0]?.hits).toEqual([]);
});

test.each([[[]], [["large"]], [{ id: "large" }], [7], [null], [""]])(
  "a model that is not a name is rejected if names are mapped: %j",
  async (model) => {
    const models = { default: "a", map: { "*": "small" } };
    await using one = await setUp([{ provider: "openai", models }]);

    const reply = await one.post(CHAT, { model, messages: [] });

    expect(reply.status).toBe(403);
    expect(await reply.text()).toContain("model: must be a name");
    expect(one.upstreams[0]?.hits).toEqual([]);
  },
);

test.each([
  ["a path", { map: { "*": "open/*" } }, "../expensive"],
  ["a path, with an allow-list", { allowed: ["fast*"], map: { "fast*": "open/*" } }, "fast../x"],
  ["a list", { map: { "*": "open/*" } }, "a,expensive"],
  ["a preset", { map: { "*": "open/*" } }, "a@preset/any"],
])(
  "what `*` matched is not carried over if it selects another model: %s",
  async (_, models, model) => {
    await using one = await setUp([{ provider: "openai", models }]);

    const reply = await one.post(CHAT, { model, messages: [] });

    expect(reply.status).toBe(403);
    expect(one.upstreams[0]?.hits).toEqual([]);
  },
);

const NAMES = [
  ...["gpt-4o-mini-2024-07-18", "ft:gpt-4o-mini:acme:custom_suffix:id:ckpt-step-90"],
  ...["arn:aws:bedrock:us-east-1:123:inference-profile/us.anthropic.claude-v1:0"],
  ...["accounts/fireworks/models/llama-v3p1", "hf.co/a/b-GGUF:Q4_K_M", "@cf/meta/llama-3"],
  ...["claude-sonnet-4@20250514", "~vendor/model-latest", "claude-opus[1m]", "GPT 4 (EU)", "模型"],
];

test("a pattern matches the names that providers use, and an entry any name that equals it", async () => {
  const odd = "a#b%20,c|d";
  const names = [...NAMES.map((name) => `any/${name}`), odd];
  const models = { allowed: ["any/*", odd] };
  await using one = await setUp([{ provider: "openai", models }]);

  for (const model of names) await one.post(CHAT, { model, messages: [] });

  expect(modelsAt(one.upstreams[0])).toEqual(names);
  const reply = await one.post(CHAT, { model: "any/a#b", messages: [] });
  expect(reply.status).toBe(403);
  expect(await reply.text()).toContain("matches only letters, digits, spaces and . _ :");
});

test("a default that no pattern matches is accepted if the allow-list names it", async () => {
  const models = { allowed: ["../local/model"], default: "../local/model" };
  await using one = await setUp([{ provider: "openai", models }]);

  await one.post(CHAT, { messages: [] });

  expect(modelsAt(one.upstreams[0])).toEqual(["../local/model"]);
});

test("a form cannot name a model in another field if names are mapped", async () => {
  await using one = await setUp([{ provider: "openai", models: { map: { "*": "small" } } }]);
  const form = new FormData();
  form.set("file", new File(["RIFF"], "a.wav", { type: "audio/wav" }));
  form.set("model", "whisper-1");
  form.set("fallbacks", "large");

  const reply = await one.call("/v1/audio/transcriptions", { method: "POST", body: form });

  expect(reply.status).toBe(400);
});

test("the default model is mapped too", async () => {
  const models = { default: "gpt-4o", map: { "gpt-4o": "deployment" } };
  await using one = await setUp([{ provider: "openai", models }]);

  await one.post(CHAT, { messages: [] });

  expect(modelsAt(one.upstreams[0])).toEqual(["deployment"]);
});

test("the model of a form is mapped, wherever it is in the form", async () => {
  await using one = await setUp([
    { provider: "openai", models: { map: { "whisper-1": "speech-deployment" } } },
  ]);
  const form = new FormData();
  form.set("file", new File(["RIFF"], "a.wav", { type: "audio/wav" }));
  form.set("model", "whisper-1");

  await one.call("/v1/audio/transcriptions", { method: "POST", body: form });

  const sent = one.upstreams[0]?.hits[0]?.body.toString();
  expect(sent).toContain("speech-deployment");
  expect(sent).not.toContain("whisper-1");
});

test("mapped names are listed as models", async () => {
  const models = { map: { "team-model": "deployment", "claude-*": "x-*" } };
  await using one = await setUp([{ provider: "openai_compatible", models }]);

  const { data } = (await (await one.call("/v1/models")).json()) as { data: { id: string }[] };

  expect(data.map(({ id }) => id)).toContain("team-model");
  expect(data.map(({ id }) => id)).not.toContain("claude-*");
});

test.each([
  ["a `*` before the end of a key", { "a*b": "c" }],
  ["a `*` in the target of an exact name", { a: "b*" }],
  ["an empty target", { a: "" }],
  ["a name that is lost in JavaScript objects", JSON.parse('{"__proto__": "b"}')],
])("a map is rejected: %s", async (_, map) => {
  const kit = await kitOf();
  const gateway = await kit.make("/v1/gateways", { name: "Maps" });
  const registry = await kit.make(`/v1/gateways/${gateway.id}/registries`, {
    name: "Demo",
    provider: "demo",
  });

  const reply = await kit.call("POST", `/v1/gateways/${gateway.id}/consumers`, {
    name: "App",
    registries: [{ id: registry.id, models: { map } }],
  });

  expect(reply.status).toBe(422);
  expect(await reply.text()).toContain("registries[0].models.map.");
});

const BUSY: Script = { status: 429, body: {} };

test("fallback models are tried in order after the requested one, each at the registries that allow it", async () => {
  const first = { provider: "openai", models: { allowed: ["a", "b"] } };
  const second = { provider: "openai", models: { allowed: ["c"], map: { c: "mapped-c" } } };
  await using one = await setUp([first, second], [BUSY, {}], { fallbacks: ["b", "c"] });

  const reply = await one.post(CHAT, { model: "a", messages: [] });

  expect(reply.status).toBe(200);
  expect(modelsAt(one.upstreams[0])).toEqual(["a", "b"]);
  expect(modelsAt(one.upstreams[1])).toEqual(["mapped-c"]);
});

test("a fallback model is sent at once while the registries of the requested one fail, and is skipped while its own do", async () => {
  const failing: Script = { status: 500, body: {} };
  const attach = [["a"], ["b"], ["c"]].map((allowed) => ({
    provider: "openai",
    models: { allowed },
  }));
  await using one = await setUp(attach, [failing, failing, {}], { fallbacks: ["b", "c"] });
  const post = async () => (await one.post(CHAT, { model: "a", messages: [] })).status;

  const statuses: number[] = [];
  for (let left = 12; left > 0; left--) statuses.push(await post());

  expect(statuses).toEqual([...Array(10).fill(500), 200, 200]);
  expect(one.hits()).toEqual([5, 5, 2]);
  const kit = await kitOf();
  const reply = await kit.call("POST", `${one.path}/explain`, { path: CHAT, model: "a" });
  expect(await reply.json()).toMatchObject({ order: [], fallbacks: [{ model: "c" }] });
});

test("without failover, a failing registry is not replaced by a fallback model", async () => {
  const attach = [["a"], ["b"]].map((allowed) => ({ provider: "openai", models: { allowed } }));
  const failing: Script = { status: 500, body: {} };
  await using one = await setUp(attach, [failing, {}], {
    fallbacks: ["b"],
    failover: { enabled: false },
  });

  for (let left = 6; left > 0; left--) await one.post(CHAT, { model: "a", messages: [] });

  expect(one.hits()).toEqual([6, 0]);
});

test("a fallback does not make a model available that the consumer may not use", async () => {
  const models = { allowed: ["a"] };
  await using one = await setUp([{ provider: "openai", models }], [], { fallbacks: ["a"] });

  const reply = await one.post(CHAT, { model: "secret", messages: [] });

  expect(reply.status).toBe(403);
  expect(one.upstreams[0]?.hits).toEqual([]);
});

test.each([
  ["a pinned model", { model: "@openai/a" }, {}],
  ["X-AG-Pin", { model: "a" }, { "x-ag-pin": "@openai" }],
])("%s does not fall back", async (_, body, headers) => {
  await using one = await setUp([{ provider: "openai" }], [BUSY], { fallbacks: ["b"] });

  const reply = await one.post(CHAT, { ...body, messages: [] }, headers);

  expect(reply.status).toBe(429);
  expect(modelsAt(one.upstreams[0])).toEqual(["a"]);
});

test("attempts with fallback models count against the maximum attempts", async () => {
  await using one = await setUp([{ provider: "openai" }], [BUSY], {
    fallbacks: ["b", "c", "d"],
    failover: { max_attempts: 2 },
  });

  await one.post(CHAT, { model: "a", messages: [] });

  expect(modelsAt(one.upstreams[0])).toEqual(["a", "b"]);
});

test("fallbacks do not change the load balancing of the requested model", async () => {
  const two = [{ provider: "openai" }, { provider: "openai" }];
  await using one = await setUp(two, [], { fallbacks: ["b"] });

  for (let left = 4; left > 0; left--) await one.post(CHAT, { model: "a", messages: [] });

  expect(one.hits()).toEqual([2, 2]);
});

test("routing explain shows the name that each candidate would receive", async () => {
  const first = { provider: "openai", models: { map: { a: "deployment-a" } } };
  await using one = await setUp([first, { provider: "openai" }], [], { fallbacks: ["b"] });

  const kit = await kitOf();
  const reply = await kit.call("POST", `${one.path}/explain`, { path: CHAT, model: "a" });

  const explained = (await reply.json()) as {
    registries: { id: string; model: string }[];
    fallbacks: { registry_id: string; model: string }[];
  };
  const ids = explained.registries.map(({ id }) => id);
  expect(explained.registries.map(({ model }) => model)).toEqual(["deployment-a", "a"]);
  expect(explained.fallbacks.map(({ model }) => model)).toEqual(["b", "b"]);
  expect(explained.fallbacks.map(({ registry_id }) => registry_id).sort()).toEqual(ids.sort());
});
