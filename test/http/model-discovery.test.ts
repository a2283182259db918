/** Model discovery: the lists of upstreams, and what of them a consumer can use. */
import { afterAll, beforeEach, expect, test } from "bun:test";
import type { Attach } from "../kit/dataplane.ts";
import { makeConsumer, UPSTREAM_KEY } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { createTestClock } from "../kit/test-clock.ts";
import { until } from "../kit/until.ts";
import { type Script, startUpstream } from "../kit/upstream.ts";

const clock = createTestClock();
const kit = sharedKit({ now: clock.now });
const upstream = startUpstream();
afterAll(() => upstream[Symbol.asyncDispose]());
beforeEach(() => {
  upstream.hits.length = 0;
});

const HOUR_MS = 3_600_000;

const toData = (ids: string[]) =>
  ids.map((id) => ({ id, object: "model", created: 1_700_000_000, owned_by: "vendor" }));
const toList = (...ids: string[]) => ({ body: { object: "list", data: toData(ids) } });

/** Creates a consumer of the shared upstream. */
async function setUp(
  attach: Omit<Attach, "url">[],
  script: Script,
  more: Record<string, unknown> = {},
) {
  upstream.script(script);
  const given = attach.map((each) => ({ ...each, url: upstream.url }));
  const consumer = await makeConsumer(await kit(), given, more);
  const ids = async () => {
    const reply = await consumer.get("/v1/models");
    return ((await reply.json()) as { data: { id: string }[] }).data.map(({ id }) => id);
  };
  return { ...consumer, ids };
}

test("the models of the upstream are listed, requested with the registry's credential", async () => {
  const one = await setUp([{ provider: "openai" }], toList("gpt-b", "gpt-a"));

  const reply = await one.get("/v1/models");

  expect(await reply.json()).toEqual({
    object: "list",
    data: [
      { id: "gpt-a", object: "model", created: 1_700_000_000, owned_by: "openai" },
      { id: "gpt-b", object: "model", created: 1_700_000_000, owned_by: "openai" },
    ],
  });
  const [hit] = upstream.hits;
  expect(hit).toMatchObject({ method: "GET", path: "/models" });
  expect(hit?.headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`);
});

test("concurrent requests share one request to the upstream, and later ones use its result", async () => {
  const one = await setUp([{ provider: "openai" }], toList("a"));

  const lists = await Promise.all([one.ids(), one.ids(), one.ids()]);

  expect([...lists, await one.ids()]).toEqual([["a"], ["a"], ["a"], ["a"]]);
  expect(upstream.hits.length).toBe(1);
});

test("a list is refreshed in the background, and kept while the upstream fails", async () => {
  const one = await setUp([{ provider: "openai" }], toList("old"));
  await one.ids();

  clock.advance(HOUR_MS);
  upstream.script({ status: 500, body: {} });
  expect(await one.ids()).toEqual(["old"]);
  await until(() => upstream.hits.length === 2);
  expect(await one.ids()).toEqual(["old"]);
  expect(upstream.hits.length).toBe(2);

  clock.advance(HOUR_MS);
  upstream.script(toList("new"));
  expect(await one.ids()).toEqual(["old"]);
  await until(async () => (await one.ids())[0] === "new");
  expect(upstream.hits.length).toBe(3);
});

test("another credential requests the list again", async () => {
  const one = await setUp([{ provider: "openai" }], toList("a"));
  await one.ids();
  upstream.script(toList("b"));

  const path = `/v1/gateways/${one.gateway.id}/registries/${one.registries[0]?.id}`;
  await (await kit()).put(path, { auth: { type: "api_key", api_key: "sk-another" } });

  expect(await one.ids()).toEqual(["b"]);
});

test("an upstream that does not respond delays only the first requests, by a bounded time", async () => {
  let finish = () => {};
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const slow = await setUp([{ provider: "openai_compatible", models: { default: "d" } }], () => ({
    chunks: [held, JSON.stringify(toList("late").body)],
  }));

  expect(await slow.ids()).toEqual(["d"]);
  expect(await slow.ids()).toEqual(["d"]);
  finish();
  await until(async () => (await slow.ids()).includes("late"));
  expect(upstream.hits.length).toBe(1);
});

test.each([
  ["is not JSON", { body: "<html>" }],
  ["has another shape", { body: { data: "many" } }],
  ["exceeds the size cap", { body: `{"data":[],"x":"${"y".repeat(9 * 1024 * 1024)}"}` }],
  ["is an error", { status: 401, body: { error: UPSTREAM_KEY } }],
] as const)("a list that %s is ignored and logged without the credential", async (_, script) => {
  const before = (await kit()).lines.length;
  const models = { allowed: ["gpt-*", "mine"] };
  const one = await setUp([{ provider: "openai_compatible", models }], () => script);

  expect(await one.ids()).toEqual(["mine"]);
  expect(await one.ids()).toEqual(["mine"]);
  expect(upstream.hits.length).toBe(1);
  const logged = (await kit()).lines.slice(before).filter((line) => line.includes("model_list"));
  expect(logged.length).toBe(1);
  expect(logged[0]).toContain(one.registries[0]?.id ?? "");
  expect(logged[0]).not.toContain(UPSTREAM_KEY);
});

test("ids that are no text, too long, or hold control characters or `*` are left out, and the count is capped", async () => {
  const many = Array.from({ length: 3000 }, (_, index) => `m-${index}`);
  const invalid = [
    { id: 7 },
    null,
    { id: "" },
    { id: "x".repeat(257) },
    { id: "a\nb" },
    { id: "*" },
  ];
  const body = { data: [...invalid, ...toData(many)] };
  const one = await setUp([{ provider: "openai" }], { body });

  const ids = await one.ids();

  expect(ids.length).toBe(2000);
  expect(ids.every((id) => id.startsWith("m-"))).toBe(true);
});

test("Anthropic's list is read page by page", async () => {
  const page = (id: string, has_more: boolean) => ({
    body: {
      data: [
        { type: "model", id, display_name: `Name of ${id}`, created_at: "2025-02-19T00:00:00Z" },
      ],
      has_more,
      first_id: id,
      last_id: id,
    },
  });
  const one = await setUp([{ provider: "anthropic" }], ({ query }) =>
    query.includes("after_id=claude-a") ? page("claude-b", false) : page("claude-a", true),
  );

  expect(await one.ids()).toEqual(["claude-a", "claude-b"]);
  expect(upstream.hits[0]?.headers["x-api-key"]).toBe(UPSTREAM_KEY);
  expect(await (await one.get("/v1/models/claude-a")).json()).toMatchObject({
    created: Date.parse("2025-02-19T00:00:00Z") / 1000,
  });
});

test("Gemini's list is read page by page, without models that generate no text or embedding", async () => {
  const model = (name: string, method: string) => ({
    name: `models/${name}`,
    displayName: name,
    supportedGenerationMethods: [method],
  });
  const one = await setUp([{ provider: "google" }], ({ query }) => ({
    body: query.includes("pageToken=2%2F")
      ? { models: [model("gemini-embedding", "embedContent"), model("veo", "predictLongRunning")] }
      : { models: [model("gemini-pro", "generateContent")], nextPageToken: "2/" },
  }));

  expect(await one.ids()).toEqual(["gemini-embedding", "gemini-pro"]);
  expect(upstream.hits[0]?.headers["x-goog-api-key"]).toBe(UPSTREAM_KEY);
});

test("an upstream that sends pages without end is requested a bounded number of times", async () => {
  let number = 0;
  const one = await setUp([{ provider: "anthropic" }], () => {
    number += 1;
    return { body: { data: [{ id: `c-${number}` }], has_more: true, last_id: `c-${number}` } };
  });

  const ids = await one.ids();

  expect(ids.length).toBe(upstream.hits.length);
  expect(ids.length).toBeLessThanOrEqual(20);
});

test("Azure lists its successful deployments", async () => {
  const data = [
    { id: "team-gpt", model: "gpt-4o", status: "succeeded", object: "deployment", created_at: 5 },
    { id: "broken", model: "gpt-4o", status: "failed", object: "deployment" },
  ];
  const one = await setUp([{ provider: "azure" }], { body: { object: "list", data } });

  expect(await one.ids()).toEqual(["team-gpt"]);
  expect(upstream.hits[0]?.path).toBe("/openai/deployments");
  expect(upstream.hits[0]?.headers["api-key"]).toBe(UPSTREAM_KEY);
});

test("Bedrock lists its models with text output and its inference profiles", async () => {
  const profile = (id: string, status: string) => ({
    inferenceProfileId: id,
    inferenceProfileName: `Profile ${id}`,
    status,
  });
  const one = await setUp([{ provider: "bedrock", options: { region: "eu-west-1" } }], (hit) => {
    if (hit.path === "/foundation-models") {
      const summaries = [
        { modelId: "amazon.nova-lite-v1:0", modelName: "Nova Lite", outputModalities: ["TEXT"] },
        { modelId: "amazon.titan-embed-v2:0", outputModalities: ["EMBEDDING"] },
      ];
      return { body: { modelSummaries: summaries } };
    }
    const isFirst = !hit.query.includes("nextToken=2%3D");
    const summaries = isFirst
      ? [profile("eu.anthropic.claude-a", "ACTIVE"), profile("eu.old", "INACTIVE")]
      : [profile("eu.anthropic.claude-b", "ACTIVE")];
    return { body: { inferenceProfileSummaries: summaries, ...(isFirst && { nextToken: "2=" }) } };
  });

  expect(await one.ids()).toEqual([
    "amazon.nova-lite-v1:0",
    "eu.anthropic.claude-a",
    "eu.anthropic.claude-b",
  ]);
  expect(upstream.hits.map(({ path }) => path)).toEqual([
    "/foundation-models",
    "/inference-profiles",
    "/inference-profiles",
  ]);
  expect(upstream.hits[0]?.headers.authorization).toBe(`Bearer ${UPSTREAM_KEY}`);
});

test("Cohere's own list, and the bare array of other servers, are read", async () => {
  const one = await setUp(
    [{ provider: "cohere" }, { provider: "openai_compatible" }],
    ({ query }) =>
      query.includes("page_size")
        ? {
            body: {
              models: [
                { name: "command-a", endpoints: ["chat"] },
                { name: "rerank-v3", endpoints: ["rerank"] },
                { name: "classify", endpoints: ["classify"] },
              ],
            },
          }
        : { body: [{ id: "llama", object: "model" }] },
  );

  expect(await one.ids()).toEqual(["command-a", "llama", "rerank-v3"]);
});

test("a registry whose allow-list has no pattern is not requested", async () => {
  const one = await setUp([{ provider: "openai", models: { allowed: ["a"] } }], toList("a", "b"));

  expect(await one.ids()).toEqual(["a"]);
  expect(upstream.hits.length).toBe(0);
});

test("disabled registries are neither listed nor requested", async () => {
  const off = { provider: "openai", enabled: false, models: { default: "d" } };
  const one = await setUp([off], toList("a"), { fallbacks: ["f"] });

  expect(await one.ids()).toEqual([]);
  expect(upstream.hits.length).toBe(0);
});

test.each<[string, Attach["models"], string[]]>([
  [
    "a pattern lists the models that it matches",
    { allowed: ["gpt-*", "own"] },
    ["gpt-4", "gpt-5", "own"],
  ],
  [
    "a key is listed beside the names of the upstream",
    { map: { fast: "gpt-4" } },
    ["fast", "gpt-4", "gpt-5", "vendor/x"],
  ],
  [
    "a target is not listed if only the key is allowed",
    { allowed: ["fast"], map: { fast: "gpt-4" } },
    ["fast"],
  ],
  [
    "a pattern lists the names that it maps to models of the upstream",
    { map: { "my-*": "gpt-*" } },
    ["gpt-4", "gpt-5", "my-4", "my-5", "vendor/x"],
  ],
  [
    "a name that the map replaces by an unknown model is hidden",
    { map: { "gpt-*": "hidden-*" } },
    ["vendor/x"],
  ],
  [
    "a longer pattern that maps the same name elsewhere wins",
    { map: { "my-*": "gpt-*", "my-4*": "small" } },
    ["gpt-4", "gpt-5", "my-5", "vendor/x"],
  ],
  ["`*` as the only key", { map: { "*": "vendor/*" } }, ["x"]],
])("maps and allow-lists: %s", async (_, models, expected) => {
  const list = toList("gpt-4", "gpt-5", "vendor/x");
  const one = await setUp([{ provider: "openai", ...(models && { models }) }], list);

  expect(await one.ids()).toEqual(expected);
  for (const id of expected) expect(await routes(one, id)).toBe(true);
});

test("the aliases that patterns of a map produce are capped", async () => {
  const keys = Array.from({ length: 30 }, (_, index) => [`alias-${index}-*`, "*"]);
  const models = { map: Object.fromEntries(keys) };
  const list = toList(...Array.from({ length: 2000 }, (_, index) => `m-${index}`));
  const one = await setUp([{ provider: "openai", models }], list);

  expect((await one.ids()).length).toBe(12_000);
});

test("fallback models are listed if a registry accepts them", async () => {
  const models = { allowed: ["a", "f"] };
  const one = await setUp([{ provider: "openai", models }], {}, { fallbacks: ["f", "rejected"] });

  expect(await one.ids()).toEqual(["a", "f"]);
});

test("every listed model is routed, and a model that routing rejects is not listed", async () => {
  const upstreamIds = ["plain", "with/slash", "auto", "@pin/x", "a,b", "claude-1"];
  const one = await setUp(
    [
      {
        provider: "azure",
        capabilities: ["chat"],
        models: { map: { alias: "plain", "bad-*": "with/*" } },
      },
      {
        provider: "openai",
        models: { allowed: ["cl*", "a*", "@pin*"] },
        capabilities: ["embeddings"],
      },
      { provider: "anthropic", models: { allowed: ["claude-*"] }, capabilities: ["files"] },
    ],
    toList(...upstreamIds),
  );

  const ids = await one.ids();

  expect(ids).toEqual(["a,b", "alias", "claude-1", "plain"]);
  for (const id of ids) expect(await routes(one, id)).toBe(true);
  for (const id of ["with/slash", "bad-slash"]) expect(await routes(one, id)).toBe(false);
});

const PATHS = ["/v1/chat/completions", "/v1/messages", "/v1/embeddings"];

/** Returns whether an endpoint accepts the model, by the explanation of the routing. */
async function routes(one: { path: string }, model: string): Promise<boolean> {
  for (const path of PATHS) {
    const reply = await (await kit()).post(`${one.path}/explain`, { path, model });
    const { refusal } = (await reply.json()) as { refusal: unknown };
    if (refusal === null) return true;
  }
  return false;
}

test("Anthropic's clients get Anthropic's shape, with pages", async () => {
  const ids = Array.from({ length: 25 }, (_, index) => `claude-${10 + index}`);
  const created_at = "2025-02-19T00:00:00Z";
  const data = ids.map((id) => ({ id, display_name: `Name ${id}`, created_at }));
  const one = await setUp([{ provider: "anthropic" }], { body: { data } });
  const get = async (search: string) =>
    (await (await one.get(`/v1/models${search}`, VERSION)).json()) as Record<string, unknown>;

  const first = await get("");
  const last = await get("?limit=20&after_id=claude-29");
  const before = await get("?limit=2&before_id=claude-15");

  expect(first).toMatchObject({ has_more: true, first_id: "claude-10", last_id: "claude-29" });
  expect(first.data).toHaveLength(20);
  expect(first.data).toContainEqual({
    type: "model",
    id: "claude-10",
    display_name: "Name claude-10",
    created_at: "2025-02-19T00:00:00Z",
    max_input_tokens: null,
    max_tokens: null,
  });
  expect(last).toMatchObject({ has_more: false, first_id: "claude-30", last_id: "claude-34" });
  expect(before).toMatchObject({ has_more: true, first_id: "claude-13", last_id: "claude-14" });
  expect(await get("?after_id=claude-34")).toEqual({
    data: [],
    has_more: false,
    first_id: null,
    last_id: null,
  });
});

const VERSION = { "anthropic-version": "2023-06-01" };

test("Anthropic's clients see only models that the messages endpoint accepts", async () => {
  const one = await setUp(
    [
      { provider: "openai", models: { allowed: ["gpt"] }, capabilities: ["embeddings"] },
      { provider: "anthropic", models: { allowed: ["claude"] } },
    ],
    {},
  );

  const card = await one.get("/v1/models/claude", VERSION);
  const list = await one.get("/v1/models", VERSION);

  expect(await card.json()).toMatchObject({ type: "model", id: "claude", display_name: "claude" });
  expect(await list.json()).toMatchObject({ first_id: "claude", last_id: "claude" });
  expect((await one.get("/v1/models/gpt", VERSION)).status).toBe(404);
  expect((await one.get("/v1/models/gpt")).status).toBe(200);
});

test.each(["limit=0", "limit=1001", "limit=x", "limit=1.5"])(
  "Anthropic's clients get Anthropic's error for %s",
  async (search) => {
    const one = await setUp([{ provider: "anthropic", models: { allowed: ["claude"] } }], {});

    const reply = await one.get(`/v1/models?${search}`, VERSION);

    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error", message: "limit: must be a number from 1 to 1000" },
    });
  },
);

test("an unknown model has the error shape of the client", async () => {
  const one = await setUp([{ provider: "anthropic", models: { allowed: ["claude"] } }], {});

  const anthropic = await one.get("/v1/models/none", VERSION);
  const openai = await one.get("/v1/models/none");

  expect(await anthropic.json()).toMatchObject({
    type: "error",
    error: { type: "not_found_error" },
  });
  expect(await openai.json()).toMatchObject({ error: { code: "not_found" } });
});
