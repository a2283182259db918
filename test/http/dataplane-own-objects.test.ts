/** `files_scope: own`: a consumer sees only the responses, conversations, uploads and batches that it created. */
import { describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { sweep } from "../../src/server/sweep.ts";
import { addConsumer, makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { startObjectsUpstream } from "../kit/objects-upstream.ts";
import { databaseKinds } from "../kit/services.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import { createTestClock } from "../kit/test-clock.ts";
import { until } from "../kit/until.ts";
import { startUpstream } from "../kit/upstream.ts";

const MODEL = { model: "m", input: "x" };
const BATCH = { input_file_id: "", endpoint: "/v1/chat/completions", completion_window: "24h" };
const DAY_MS = 86_400_000;

/** Two consumers with own scope at the same two registries, in front of OpenAI and Anthropic. */
async function startPair(kit: Awaited<ReturnType<ReturnType<typeof sharedKit>>>) {
  const upstream = startObjectsUpstream();
  const attach = ["openai", "anthropic"].map((provider) => ({
    provider,
    url: `${upstream.url}/v1`,
  }));
  const mine = await makeConsumer(kit, attach, { files_scope: "own" });
  const registries = mine.registries.map(({ id }) => ({ id }));
  const other = await addConsumer(kit, mine.gateway, [], { registries, files_scope: "own" });
  const client = new OpenAI({ baseURL: `${mine.url}/v1`, apiKey: mine.key, maxRetries: 0 });
  const create = async (consumer: typeof mine, path: string, body: object = {}) => {
    const reply = await consumer.post(`/v1/${path}`, body);
    expect(reply.status).toBe(200);
    return ((await reply.json()) as { id: string }).id;
  };
  const upload = async (consumer: typeof mine) => {
    const parts = [["file", "{}", "a.jsonl"]] as [string, string, string][];
    const reply = await consumer.form("/v1/files", parts, { "x-ag-pin": "@openai" });
    return ((await reply.json()) as { id: string }).id;
  };
  const dispose = () => upstream[Symbol.asyncDispose]();
  return { upstream, mine, other, client, create, upload, [Symbol.asyncDispose]: dispose };
}

describe.each(databaseKinds)("%s", (database) => {
  const clock = createTestClock();
  const kitOf = sharedKit({ database, now: clock.now });

  test.each([
    ["responses", MODEL, ["", "/input_items"]],
    ["conversations", {}, ["", "/items", "/items/msg_1"]],
    ["messages/batches", { requests: [] }, ["", "/results"]],
  ])(
    "an object of %s is a 404 for another consumer, and reaches no upstream",
    async (path, body, tails) => {
      await using it = await startPair(await kitOf());
      const id = await it.create(it.mine, path, body);
      const sent = it.upstream.hits.length;

      const refused = await Promise.all(
        tails.map((tail) => it.other.get(`/v1/${path}/${id}${tail}`)),
      );
      const deleted = await it.other.call(`/v1/${path}/${id}`, { method: "DELETE" });
      const found = await it.mine.get(`/v1/${path}/${id}`);

      expect([...refused, deleted].map(({ status }) => status)).toEqual(
        [...tails, ""].map(() => 404),
      );
      expect(found.status).toBe(200);
      expect(it.upstream.hits.length).toBe(sent + 1);
    },
  );

  test("owners of responses expire after 31 days, those of conversations do not", async () => {
    const kit = await kitOf();
    await using it = await startPair(kit);
    const response = await it.create(it.mine, "responses", MODEL);
    const conversation = await it.create(it.mine, "conversations");
    const rows = () =>
      kit.db.many<{ file_id: string }>(
        "SELECT file_id FROM owned_files WHERE consumer_id = $1 ORDER BY file_id",
        it.mine.id,
      );
    await until(async () => (await rows()).length === 2);

    clock.advance(30 * DAY_MS);
    await sweep(kit.deps);
    const before = (await rows()).map(({ file_id }) => file_id);
    clock.advance(2 * DAY_MS);
    await sweep(kit.deps);

    expect(before).toEqual([conversation, response]);
    expect(await rows()).toEqual([{ file_id: conversation }]);
  });
});

const kit = sharedKit();

test("a streamed response belongs to its consumer before the first event is complete", async () => {
  await using it = await startPair(await kit());
  let id = "";
  const stream = await it.client.responses.create({ ...MODEL, stream: true });
  for await (const event of stream) if (event.type === "response.created") id = event.response.id;

  const statuses = [
    await it.mine.get(`/v1/responses/${id}`),
    await it.other.get(`/v1/responses/${id}`),
  ].map(({ status }) => status);

  expect(statuses).toEqual([200, 404]);
});

test("the id of a streamed response is read from its first event, in any number of chunks", async () => {
  const response = { id: "resp_split", instructions: 'say "id":"resp_wrong"' };
  const event = (type: string) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, item: { id: "resp_other" }, response })}\n\n`;
  const text = `: comment\n\n${event("response.created")}${event("response.completed")}`;
  const headers = { "content-type": "text/event-stream" };
  await using upstream = startUpstream({ headers, chunks: text.match(/.{1,7}/gs) ?? [] });
  const openai = [{ provider: "openai", url: `${upstream.url}/v1` }];
  const one = await makeConsumer(await kit(), openai, { files_scope: "own" });

  const reply = await one.post("/v1/responses", { ...MODEL, stream: true });
  const received = await reply.text();
  const ids = ["resp_split", "resp_wrong", "resp_other"];
  const reads = await Promise.all(ids.map((id) => one.get(`/v1/responses/${id}`)));

  expect(received).toBe(text);
  expect(reads.map(({ status }) => status)).toEqual([200, 404, 404]);
});

test("a chat that is translated to responses has no owner", async () => {
  const { db, lines } = await kit();
  const response = { id: "resp_1", object: "response", status: "completed", output: [] };
  await using it = await startConsumer(
    await kit(),
    [{ provider: "openai", capabilities: ["responses"] }],
    [(_, count) => ({ body: { ...response, id: `resp_${count}`, model: "m" } })],
    { files_scope: "own" },
  );
  const messages = [{ role: "user", content: "x" }];

  const chat = await it.post("/v1/chat/completions", { model: "m", messages });
  const native = await it.post("/v1/responses", MODEL);

  expect([chat.status, native.status, it.hits()]).toEqual([200, 200, [2]]);
  const rows = () => db.many("SELECT file_id FROM owned_files WHERE consumer_id = $1", it.id);
  await until(async () => (await rows()).length > 0);
  expect(await rows()).toEqual([{ file_id: "resp_2" }]);
  const warnings = lines.filter((line) => line.includes("object_without_id"));
  expect(warnings.filter((line) => line.includes(it.id))).toEqual([]);
});

test("a response that is not stored has no owner", async () => {
  const { db } = await kit();
  await using it = await startPair(await kit());
  await it.create(it.mine, "responses", { ...MODEL, store: false });
  const kept = await it.create(it.mine, "responses", MODEL);

  const rows = () => db.many("SELECT file_id FROM owned_files WHERE consumer_id = $1", it.mine.id);
  await until(async () => (await rows()).length > 0);

  expect(await rows()).toEqual([{ file_id: kept }]);
});

test.each([
  ["previous_response_id", (id: string) => ({ previous_response_id: id }), "responses"],
  ["conversation", (id: string) => ({ conversation: id }), "conversations"],
  ["conversation.id", (id: string) => ({ conversation: { id } }), "conversations"],
  ["another case", (id: string) => ({ Previous_Response_ID: id }), "responses"],
  ["camel case", (id: string) => ({ previousResponseId: id }), "responses"],
  [
    "the options of a provider",
    (id: string) => ({ providerOptions: { openai: { previousResponseId: id } } }),
    "responses",
  ],
  ["conversationId", (id: string) => ({ conversationId: id }), "conversations"],
  ["extra_body", (id: string) => ({ extra_body: { previous_response_id: id } }), "responses"],
  [
    "extra_body in extra_body",
    (id: string) => ({ extra_body: { Extra_Body: { conversation: id } } }),
    "conversations",
  ],
  [
    "an item in extra_body of litellm_params",
    (id: string) => ({ litellm_params: { extra_body: { input: [{ type: "x", id }] } } }),
    "responses",
  ],
])("%s of another consumer is a 404, the own one is sent", async (_, refer, path) => {
  await using it = await startPair(await kit());
  const body = path === "responses" ? MODEL : {};
  const own = await it.create(it.mine, path, body);
  const others = await it.create(it.other, path, body);
  const sent = it.upstream.hits.length;

  const refused = await it.mine.post("/v1/responses", { ...MODEL, ...refer(others) });
  const accepted = await it.mine.post("/v1/responses", { ...MODEL, ...refer(own) });

  expect([refused.status, accepted.status]).toEqual([404, 200]);
  expect(it.upstream.hits.length).toBe(sent + 1);
});

test("the query string cannot name an object of another consumer, nor the own one", async () => {
  await using it = await startPair(await kit());
  const id = await it.create(it.mine, "responses", MODEL);
  const sent = it.upstream.hits.length;

  for (const query of [
    ...[`previous_response_id=${id}`, `a=1;previousResponseId=${id}`, "conversation=conv_1"],
    ...["file_id=file-1", "extra_body[file_ids][]=x", "extra_body%5Bfile_id%5D=x", "fileUri=x"],
    ...["%66ile_id%00%ff=file-1", "file_%69d[%ff]=file-1", "file_%69d%=file-1"],
  ]) {
    const reply = await it.mine.post(`/v1/responses?${query}`, MODEL);
    expect([query, reply.status]).toEqual([query, 400]);
    expect((await it.mine.get(`/v1/responses/${id}?${query}`)).status).toBe(400);
  }
  expect(it.upstream.hits.length).toBe(sent);
  const paged = await it.mine.get("/v1/files?after=file-1&limit=2&order=asc&purpose=batch");
  expect(paged.status).toBe(200);
});

test.each([
  ["an item reference", { type: "item_reference", id: "msg_1" }, 404],
  ["an item reference with content", { type: "item_reference", id: "msg_1", content: "x" }, 404],
  ["an item with only an id", { id: "msg_1" }, 404],
  ["an item without a type", { type: null, id: "msg_1" }, 404],
  ["an escaped item reference", { type: "item_reference", id: "msg_\u0131" }, 404],
  ["a complete item", { type: "message", role: "user", id: "msg_1", content: "x" }, 200],
  ["a call with its id", { type: "function_call", id: "fc_1", name: "f", arguments: "{}" }, 200],
])("input with %s", async (_, item, status) => {
  await using it = await startPair(await kit());

  const reply = await it.mine.post("/v1/responses", { model: "m", input: [item] });
  const conversation = await it.mine.post("/v1/conversations", { items: [item] });

  expect([reply.status, conversation.status]).toEqual([status, status]);
});

test("the files that a batch and an upload create belong to their consumer", async () => {
  await using it = await startPair(await kit());
  const input_file_id = await it.upload(it.mine);
  const batch = await it.create(it.mine, "batches", { ...BATCH, input_file_id });
  const upload = await it.create(it.mine, "uploads", {});

  const { output_file_id } = await (await it.mine.get(`/v1/batches/${batch}`)).json();
  const { file } = await (await it.mine.post(`/v1/uploads/${upload}/complete`, {})).json();

  for (const id of [output_file_id, file.id]) {
    expect((await it.mine.get(`/v1/files/${id}/content`)).status).toBe(200);
    expect((await it.other.get(`/v1/files/${id}/content`)).status).toBe(404);
  }
});

test("a batch of another consumer's file is a 404, and its uploads cannot be used", async () => {
  await using it = await startPair(await kit());
  const input_file_id = await it.upload(it.other);
  const upload = await it.create(it.other, "uploads", {});
  const sent = it.upstream.hits.length;

  const replies = [
    await it.mine.post("/v1/batches", { ...BATCH, input_file_id }),
    await it.mine.form(`/v1/uploads/${upload}/parts`, [["data", "x", "a"]]),
    await it.mine.post(`/v1/uploads/${upload}/complete`, {}),
    await it.mine.post(`/v1/uploads/${upload}/cancel`, {}),
  ];

  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  expect(it.upstream.hits.length).toBe(sent);
});

test.each(["batches", "messages/batches"])("a list of %s has the consumer's own", async (path) => {
  await using it = await startPair(await kit());
  const body = async (consumer: typeof it.mine) =>
    path === "batches" ? { input_file_id: await it.upload(consumer) } : { requests: [] };
  const own = await it.create(it.mine, path, await body(it.mine));
  await it.create(it.other, path, await body(it.other));

  const list = await (await it.mine.get(`/v1/${path}`)).json();

  expect(list.data.map(({ id }: { id: string }) => id)).toEqual([own]);
  expect(list.has_more).toBe(false);
});

test("deleting an item keeps the owner of its conversation, deleting the conversation does not", async () => {
  await using it = await startPair(await kit());
  const id = await it.create(it.mine, "conversations");
  const remove = { method: "DELETE" };

  await it.mine.call(`/v1/conversations/${id}/items/msg_1`, remove);
  const kept = await it.mine.get(`/v1/conversations/${id}`);
  await it.mine.call(`/v1/conversations/${id}`, remove);
  const gone = await it.mine.get(`/v1/conversations/${id}`);

  expect([kept.status, gone.status]).toEqual([200, 404]);
});

test("with shared scope, every response of the account is readable", async () => {
  await using it = await startPair(await kit());
  const registries = it.mine.registries.map(({ id }) => ({ id }));
  const shared = await addConsumer(await kit(), it.mine.gateway, [], { registries });
  const id = await it.create(it.mine, "responses", MODEL);

  expect((await shared.get(`/v1/responses/${id}`)).status).toBe(200);
});
