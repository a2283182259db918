/** Stored responses, conversations, uploads and batches: paths, routing by id, allow-lists and SDKs. */
import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI, { toFile } from "openai";
import type { Explanation } from "../../src/contract/gateway/explain.ts";
import { type Attach, makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { startObjectsUpstream } from "../kit/objects-upstream.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import { until } from "../kit/until.ts";

const kit = sharedKit();
const MODEL = { model: "m", input: "x" };

const PATHS: [provider: string, method: string, path: string, target: string][] = [
  ["openai", "GET", "/responses/resp_1", "/responses/resp_1"],
  ["openai", "DELETE", "/responses/resp_1", "/responses/resp_1"],
  ["openai", "POST", "/responses/resp_1/cancel", "/responses/resp_1/cancel"],
  ["openai", "GET", "/responses/resp_1/input_items", "/responses/resp_1/input_items"],
  ["azure", "GET", "/responses/resp_1", "/openai/responses/resp_1"],
  ["xai", "GET", "/responses/resp_1", "/responses/resp_1"],
  ["openai_compatible", "GET", "/responses/resp_1", "/responses/resp_1"],
  ["openai", "POST", "/conversations", "/conversations"],
  ["openai", "GET", "/conversations/conv_1", "/conversations/conv_1"],
  ["openai", "POST", "/conversations/conv_1", "/conversations/conv_1"],
  ["openai", "DELETE", "/conversations/conv_1", "/conversations/conv_1"],
  ["openai", "GET", "/conversations/conv_1/items", "/conversations/conv_1/items"],
  ["openai", "POST", "/conversations/conv_1/items", "/conversations/conv_1/items"],
  ["openai", "GET", "/conversations/conv_1/items/msg_1", "/conversations/conv_1/items/msg_1"],
  ["openai", "DELETE", "/conversations/conv_1/items/msg_1", "/conversations/conv_1/items/msg_1"],
  ["openai", "POST", "/uploads", "/uploads"],
  ["openai", "POST", "/uploads/upload_1/complete", "/uploads/upload_1/complete"],
  ["openai", "POST", "/uploads/upload_1/cancel", "/uploads/upload_1/cancel"],
  ["openai", "POST", "/batches", "/batches"],
  ["openai", "GET", "/batches", "/batches"],
  ["openai", "GET", "/batches/batch_1", "/batches/batch_1"],
  ["openai", "POST", "/batches/batch_1/cancel", "/batches/batch_1/cancel"],
  ["azure", "POST", "/batches", "/openai/batches"],
  ["anthropic", "POST", "/messages/batches", "/messages/batches"],
  ["anthropic", "GET", "/messages/batches", "/messages/batches"],
  ["anthropic", "GET", "/messages/batches/b_1", "/messages/batches/b_1"],
  ["anthropic", "DELETE", "/messages/batches/b_1", "/messages/batches/b_1"],
  ["anthropic", "POST", "/messages/batches/b_1/cancel", "/messages/batches/b_1/cancel"],
  ["anthropic", "GET", "/messages/batches/b_1/results", "/messages/batches/b_1/results"],
];

test.each(PATHS)("%s: %s %s is sent to %s", async (provider, method, path, target) => {
  await using one = await startConsumer(await kit(), [{ provider }], [{ body: { id: "x" } }]);
  const isCancel = path.endsWith("/cancel");
  const sent = method === "POST" && !isCancel ? { body: "{}" } : {};

  const reply = await one.call(`/v1${path}?limit=2`, { method, ...sent });

  expect(reply.status).toBe(200);
  const [hit] = one.upstreams[0]?.hits ?? [];
  expect([hit?.method, hit?.path]).toEqual([method, target]);
  expect(hit?.query).toStartWith("?limit=2");
  expect(hit?.body.toString()).toBe(sent.body ?? "");
});

test.each([
  ["PUT", "/responses/resp_1", 400],
  ["POST", "/responses/resp_1", 400],
  ["GET", "/responses/compact", 400],
  ["GET", "/responses/resp_1/cancel", 400],
  ["GET", "/conversations", 400],
  ["POST", "/batches/batch_1", 400],
  ["POST", "/messages/batches/b_1/results", 400],
  ["GET", "/responses/resp_1/other", 404],
  ["GET", "/responses/resp_1/input_items/x", 404],
  ["GET", "/conversations/conv_1/items/msg_1/x", 404],
  ["GET", "/uploads/upload_1", 404],
  ["GET", "/messages/other", 404],
  ["GET", "/responses/..%2Fx", 404],
  ["GET", "/responses/a%2Fb", 404],
  ["GET", "/conversations/conv_1/items/..%2Fx", 404],
  ["GET", "/conversations/a%3Fb/items/msg_1", 404],
  ["GET", "/batches/a%23b", 404],
])("%s %s is a %d", async (method, path, status) => {
  await using one = await startConsumer(await kit(), [{ provider: "openai" }]);

  const reply = await one.call(`/v1${path}`, { method });

  expect(reply.status).toBe(status);
  expect(one.hits()).toEqual([0]);
});

test("a registry without the capability is not tried: 503, and 400 for a pin", async () => {
  await using one = await startConsumer(await kit(), [{ provider: "groq" }]);

  const reply = await one.get("/v1/responses/resp_1");
  const pinned = await one.get("/v1/responses/resp_1", { "x-ag-pin": "@groq" });

  expect([reply.status, pinned.status]).toEqual([503, 400]);
  expect(one.hits()).toEqual([0]);
});

/** A consumer with two OpenAI registries, `a` and `b`. */
async function startTwo(more = {}) {
  const [a, b] = [startObjectsUpstream("a"), startObjectsUpstream("b")];
  const attach = [a, b].map(({ url }, index) => ({
    provider: "openai",
    url: `${url}/v1`,
    name: index === 0 ? "a" : "b",
  }));
  const consumer = await makeConsumer(await kit(), attach, more);
  const client = new OpenAI({ baseURL: `${consumer.url}/v1`, apiKey: consumer.key, maxRetries: 0 });
  const at = (name: string) => ({ headers: { "x-ag-pin": name } });
  const pathsAt = ({ hits }: typeof a) => hits.map(({ method, path }) => `${method} ${path}`);
  return {
    ...{ ...consumer, client, a, b, at, pathsAt },
    async [Symbol.asyncDispose]() {
      await a[Symbol.asyncDispose]();
      await b[Symbol.asyncDispose]();
    },
  };
}

test("the OpenAI SDK: a response is read, continued, canceled and deleted where it was created", async () => {
  await using it = await startTwo();
  const { client } = it;
  const { id } = await client.responses.create(MODEL, it.at("b"));

  await client.responses.retrieve(id);
  await client.responses.inputItems.list(id);
  await client.responses.create({ ...MODEL, previous_response_id: id });
  await client.responses.cancel(id);
  await client.responses.delete(id);

  expect(it.pathsAt(it.a)).toEqual([]);
  expect(it.pathsAt(it.b)).toEqual([
    "POST /v1/responses",
    `GET /v1/responses/${id}`,
    `GET /v1/responses/${id}/input_items`,
    "POST /v1/responses",
    `POST /v1/responses/${id}/cancel`,
    `DELETE /v1/responses/${id}`,
  ]);
});

test("a streamed response is read and continued where it was created", async () => {
  await using it = await startTwo();
  let id = "";
  const stream = await it.client.responses.create({ ...MODEL, stream: true }, it.at("b"));
  for await (const event of stream) if (event.type === "response.created") id = event.response.id;

  await it.client.responses.retrieve(id);
  await it.client.responses.create({ ...MODEL, previous_response_id: id });

  expect([it.a.hits.length, it.b.hits.length]).toEqual([0, 3]);
});

test("the OpenAI SDK: a conversation and its items stay at one registry", async () => {
  await using it = await startTwo();
  const { client } = it;
  const { id } = await client.conversations.create({}, it.at("b"));
  const items = [{ type: "message" as const, role: "user" as const, content: "x" }];

  await client.conversations.retrieve(id);
  await client.conversations.update(id, { metadata: { a: "b" } });
  await client.conversations.items.create(id, { items });
  await client.conversations.items.list(id);
  await client.conversations.items.retrieve("msg_1", { conversation_id: id });
  await client.conversations.items.delete("msg_1", { conversation_id: id });
  await client.responses.create({ ...MODEL, conversation: id });
  await client.responses.create({ ...MODEL, conversation: { id } });
  await client.conversations.delete(id);

  expect([it.a.hits.length, it.b.hits.length]).toEqual([0, 10]);
});

test("the OpenAI SDK: an upload in parts, its file, and a batch of it", async () => {
  await using it = await startTwo();
  const { client } = it;
  const about = {
    filename: "a.jsonl",
    purpose: "batch" as const,
    bytes: 4,
    mime_type: "text/jsonl",
  };
  const { id } = await client.uploads.create(about, it.at("b"));
  const part = await client.uploads.parts.create(id, { data: await toFile(Buffer.from("{}\n")) });
  const { file } = await client.uploads.complete(id, { part_ids: [part.id] });
  const input_file_id = file?.id ?? "";

  await client.files.retrieve(input_file_id);
  const batch = await client.batches.create(
    { input_file_id, endpoint: "/v1/chat/completions", completion_window: "24h" },
    it.at("b"),
  );
  const { output_file_id = "" } = await client.batches.retrieve(batch.id);
  const content = await (await client.files.content(output_file_id)).text();
  await client.batches.cancel(batch.id);

  expect(content).toBe(`content of ${output_file_id}`);
  expect([it.a.hits.length, it.b.hits.length]).toEqual([0, 8]);
  expect(it.b.hits[1]?.body.toString()).toContain("{}\n");
});

test("an object that is unknown to this node is found at the other registry", async () => {
  await using it = await startTwo();
  const body = JSON.stringify(MODEL);
  const created = await fetch(`${it.b.url}/v1/responses`, { method: "POST", body });
  const { id } = (await created.json()) as { id: string };

  const read = await it.get(`/v1/responses/${id}`);
  const unknown = await it.get("/v1/responses/resp_none");

  expect([read.status, unknown.status]).toEqual([200, 404]);
  expect(it.pathsAt(it.a)).toEqual([`GET /v1/responses/${id}`, "GET /v1/responses/resp_none"]);
});

test("a response that continues an unknown one is tried at every registry, which bills nothing", async () => {
  await using it = await startTwo();
  const body = JSON.stringify(MODEL);
  const created = await fetch(`${it.b.url}/v1/responses`, { method: "POST", body });
  const { id } = (await created.json()) as { id: string };

  const reply = await it.post("/v1/responses", { ...MODEL, previous_response_id: id });
  const again = await it.post("/v1/responses", { ...MODEL, previous_response_id: "resp_none" });

  expect([reply.status, again.status]).toEqual([200, 400]);
  expect([it.a.hits.length, it.b.hits.length]).toEqual([2, 3]);
});

test("a part of an upload that was sent to the wrong registry is not sent again without its bytes", async () => {
  await using it = await startTwo();
  const created = await fetch(`${it.b.url}/v1/uploads`, { method: "POST", body: "{}" });
  const { id } = (await created.json()) as { id: string };

  const reply = await it.form(`/v1/uploads/${id}/parts`, [["data", "x".repeat(1000), "part"]]);

  expect(reply.status).toBe(404);
  expect([it.a.hits.length, it.b.hits.length]).toEqual([1, 1]);
});

test("usage that a stored response repeats is not counted again", async () => {
  await using it = await startTwo();
  const { id } = await it.client.responses.create(MODEL);
  await it.client.responses.retrieve(id);

  await until(async () => {
    const path = `/v1/gateways/${it.gateway.id}/requests`;
    const { items } = await (await (await kit()).get(path)).json();
    const usage = items.map(({ endpoint, input_tokens }: Record<string, unknown>) => [
      endpoint,
      input_tokens,
    ]);
    if (usage.length === 2) {
      expect(usage).toEqual([
        ["responses.one", null],
        ["responses", 3],
      ]);
    }
    return usage.length === 2;
  });
});

const batchOf = (...models: unknown[]) => ({
  requests: models.map((model, index) => ({
    custom_id: `r${index}`,
    params: { model, max_tokens: 9, messages: [] },
  })),
});

test("the Anthropic SDK: a batch of messages, with its results through the gateway", async () => {
  await using upstream = startObjectsUpstream();
  const one = await makeConsumer(await kit(), [
    { provider: "anthropic", url: `${upstream.url}/v1` },
  ]);
  const { batches } = new Anthropic({ baseURL: one.url, apiKey: one.key }).messages;
  const { id } = await batches.create({
    requests: [
      {
        custom_id: "a",
        params: { model: "m", max_tokens: 9, messages: [{ role: "user", content: "x" }] },
      },
    ],
  });

  const batch = await batches.retrieve(id);
  const results: string[] = [];
  for await (const { custom_id } of await batches.results(id)) results.push(custom_id);
  const { data } = await batches.list();
  await batches.cancel(id);
  await batches.delete(id);

  const url = `${one.url}/v1/messages/batches/${id}/results`;
  expect(batch.results_url).toBe(url);
  expect(results).toEqual(["a", "a"]);
  expect(data.map(({ results_url }) => results_url)).toEqual([url]);
  expect(upstream.hits.length).toBe(7);
});

test("a batch of messages is created for a client that sends an invalid host", async () => {
  await using upstream = startObjectsUpstream();
  const one = await makeConsumer(await kit(), [
    { provider: "anthropic", url: `${upstream.url}/v1` },
  ]);

  const reply = await one.post("/v1/messages/batches", batchOf("m"), { host: "[::" });

  expect(reply.status).toBe(200);
});

test("every model of a batch of messages must be allowed", async () => {
  const models = { allowed: ["claude-*"] };
  await using one = await startConsumer(await kit(), [{ provider: "anthropic", models }]);
  const post = async (body: object) => (await one.post("/v1/messages/batches", body)).status;

  const statuses = [
    await post(batchOf("claude-a", "gpt-4o")),
    await post({ requests: [{ params: { model: "claude-a", fallbacks: ["gpt-4o"] } }] }),
    await post({ requests: [{ params: { model: "claude-a", Fallbacks: ["gpt-4o"] } }] }),
    await post({ requests: [{ params: { model: "claude-a" }, model: "gpt-4o" }] }),
    await post({ requests: [{ params: { model: "claude-a" }, fallbacks: ["gpt-4o"] }] }),
    await post({ requests: [{ params: { model: "claude-a" } }], fallbacks: ["gpt-4o"] }),
    await post({ requests: [{ params: { model: "claude-a" } }], model: "gpt-4o" }),
    await post(batchOf("claude-a", undefined)),
    await post(batchOf("claude-a", 7)),
    await post({ requests: [{ params: { model: "claude-a", Model: "gpt-4o" } }] }),
    await post({ requests: [{ params: { model: "claude-a", modelId: "gpt-4o" } }] }),
    await post({ requests: [{ params: { model: "claude-a" }, Params: { model: "gpt-4o" } }] }),
    await post({ requests: [{ params: null }] }),
    await post({ Requests: [] }),
    await post({}),
  ];
  const repeated = '{"requests":[{"params":{"model":"gpt-4o","model":"claude-a"}}]}';
  const ambiguous = await one.post("/v1/messages/batches", repeated);

  expect(statuses).toEqual([...Array(7).fill(403), ...Array(8).fill(400)]);
  expect(ambiguous.status).toBe(400);
  expect(one.hits()).toEqual([0]);
  expect(await post(batchOf("claude-a", "claude-b"))).toBe(200);
});

test("each model of a batch of messages is mapped, and the other bytes are kept", async () => {
  const models = { map: { fast: "claude-haiku", "smart-*": "claude-*" } };
  await using one = await startConsumer(await kit(), [{ provider: "anthropic", models }]);
  const body = (first: string, second: string) =>
    `{ "requests":[{"custom_id":"1","params":{"model":"${first}","max_tokens":1.0, "metadata":{"model":"fast"}}},\n{"params":{"messages":[{"role":"user","content":"\\u00e9"}],"model": "${second}"}}]}`;

  const reply = await one.post("/v1/messages/batches", body("fast", "smart-opus"));

  expect(reply.status).toBe(200);
  const sent = one.upstreams[0]?.hits[0]?.body.toString();
  expect(sent).toBe(body("claude-haiku", "claude-opus"));
});

test("without an allow-list or a map, a batch of messages is sent unchanged", async () => {
  await using one = await startConsumer(await kit(), [{ provider: "anthropic" }]);
  const body = '{ "requests":[{"params":{"model":"@x","model":"y"}}] }';

  await one.post("/v1/messages/batches", body);

  expect(one.upstreams[0]?.hits[0]?.body.toString()).toBe(body);
});

const LIMITED: [string, Required<Attach>["models"]][] = [
  ["an allow-list", { allowed: ["m"] }],
  ["a map", { map: { a: "b" } }],
];

test.each(LIMITED)(
  "a batch of a file is a 403 for a consumer with %s, because its models are not read",
  async (_, models) => {
    await using one = await startConsumer(
      await kit(),
      [{ provider: "openai", models }],
      [{ body: { id: "batch_1" } }],
    );
    const batch = { input_file_id: "file-1", endpoint: "/v1/chat/completions" };

    const reply = await one.post("/v1/batches", batch);
    const read = await one.get("/v1/batches/batch_1");
    const call = { method: "POST", path: "/v1/batches" };
    const explained = await (await kit()).post(`${one.path}/explain`, call);

    expect([reply.status, read.status]).toEqual([403, 200]);
    expect(((await reply.json()) as { error: object }).error).toMatchObject({
      code: "model_not_allowed",
      message: expect.stringContaining("in a file"),
    });
    const { registries, refusal } = (await explained.json()) as Explanation;
    expect([registries[0]?.reason, refusal?.status]).toEqual(["batch_file", 403]);
    expect(one.hits()).toEqual([1]);
  },
);
