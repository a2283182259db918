/** `files_scope: own`: an item that the upstream looks up by its id must be of a response that the consumer received. */
import { expect, test } from "bun:test";
import OpenAI from "openai";
import { addConsumer, makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { measureLongestTurn } from "../kit/measure-longest-turn.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import { minOfRuns } from "../kit/until.ts";
import { startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();
const RESPONSES = "/v1/responses";
const text = (text: string) => [{ type: "output_text", text, annotations: [] }];

/** Items without what the upstream would look up. */
const REFERENCES: object[] = [
  { id: "rs_1", type: "reasoning", summary: [] },
  { id: "rs_2", type: "reasoning", summary: [{ type: "summary_text", text: "x" }], content: [] },
  { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search" } },
  { id: "fs_1", type: "file_search_call", status: "completed", queries: ["x"], results: null },
  { id: "ci_1", type: "code_interpreter_call", code: "1", container_id: "c", outputs: null },
  { id: "ig_1", type: "image_generation_call", status: "completed", result: null },
  { id: "ig_2", type: "image_generation_call", status: "completed", result: "aGk=" },
  { id: "xx_1", type: "some_new_call", status: "completed", content: "x" },
];
/** Items that contain everything. */
const COMPLETE: object[] = [
  { id: "msg_1", type: "message", role: "assistant", status: "completed", content: text("x") },
  { id: "rs_3", type: "reasoning", summary: [], encrypted_content: "gAAA" },
  { id: "rs_4", type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "x" }] },
  { id: "fc_1", type: "function_call", call_id: "c", name: "f", arguments: "" },
  { id: "fco_1", type: "function_call_output", call_id: "c", output: "x" },
  { id: "cmp_1", type: "compaction", encrypted_content: "gAAA" },
  { id: "mcp_1", type: "mcp_call", server_label: "s", name: "f", arguments: "{}" },
  { id: "cu_1", type: "computer_call", call_id: "c", action: { type: "click" } },
];

/** Two consumers with own scope at one registry, whose responses have `output`. */
async function startPair(output: object[]) {
  let count = 0;
  const upstream = startUpstream(({ body, method }) => {
    if (method === "GET") return { body: { id: "resp_1", output: [{ id: "rs_late" }, ...output] } };
    const { stream } = JSON.parse(body.toString());
    count += 1;
    const response = { id: `resp_${count}`, metadata: { id: "rs_echoed" }, tools: [] };
    if (!stream) return { body: { ...response, output } };
    const event = (type: string, members: object) =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
    const chunks = [
      event("response.created", { response: { ...response, output: [] } }),
      ...output.map((item) => event("response.output_item.added", { item })),
      event("response.output_item.done", { item: { id: "rs_done", type: "reasoning" } }),
      event("response.completed", {
        response: { ...response, output: [{ id: "rs_completed", type: "reasoning" }] },
      }),
    ];
    return { headers: { "content-type": "text/event-stream" }, chunks };
  });
  const openai = [{ provider: "openai", url: `${upstream.url}/v1` }];
  const mine = await makeConsumer(await kit(), openai, { files_scope: "own" });
  const registries = mine.registries.map(({ id }) => ({ id }));
  const other = await addConsumer(await kit(), mine.gateway, [], {
    registries,
    files_scope: "own",
  });
  const send = async (consumer: typeof mine, input: unknown, more: object = {}) =>
    (await consumer.post(RESPONSES, { model: "m", input, ...more })).status;
  const dispose = () => upstream[Symbol.asyncDispose]();
  return { upstream, mine, other, send, [Symbol.asyncDispose]: dispose };
}

const reference = (id: string) => ({ type: "item_reference", id });

test.each(REFERENCES)(
  "the item %j of another consumer is a 404, and the own one is sent",
  async (item) => {
    await using it = await startPair([item]);
    const { id } = item as { id: string };
    const sent = () => it.upstream.hits.length;

    expect(await it.send(it.mine, [item])).toBe(404);
    expect(sent()).toBe(0);
    expect(await it.send(it.mine, "x")).toBe(200);
    for (const input of [[item], [reference(id)], [{ id }]]) {
      expect(await it.send(it.mine, input)).toBe(200);
      expect(await it.send(it.other, input)).toBe(404);
    }
    expect(sent()).toBe(4);
  },
);

test("items that contain everything pass with any id", async () => {
  await using it = await startPair([]);

  for (const item of COMPLETE) expect([item, await it.send(it.mine, [item])]).toEqual([item, 200]);
});

test("an item reference is found in every spelling, object and nested list", async () => {
  await using it = await startPair([]);
  const message = { id: "msg_1", role: "user", content: "x" };

  for (const input of [
    [{ ...message, type: "Item_Reference" }],
    [{ ...message, type: "item_reference", Type: "message" }],
    [{ ...message, Type: "item_reference" }],
    [{ ID: "rs_1", type: "reasoning" }],
    { id: "rs_1", type: "reasoning" },
    [[{ id: "rs_1", type: "reasoning" }]],
  ]) {
    expect([input, await it.send(it.mine, input)]).toEqual([input, 404]);
  }
  expect(await it.send(it.mine, message)).toBe(200);
});

test("every item of a stored response may be referred to, and nothing else that the response contains", async () => {
  const [message = {}] = COMPLETE;
  await using it = await startPair([message]);
  await it.send(it.mine, "x");

  expect(await it.send(it.mine, [reference("msg_1")])).toBe(200);
  expect(await it.send(it.mine, [reference("rs_echoed")])).toBe(404);
});

test("items of a response that is not stored belong to its consumer only if they lack content", async () => {
  const [reasoning = {}] = REFERENCES;
  const [message = {}] = COMPLETE;
  await using it = await startPair([message, reasoning]);
  await it.send(it.mine, "x", { store: false });

  expect(await it.send(it.mine, [message, reasoning], { store: false })).toBe(200);
  expect(await it.send(it.mine, [reference("msg_1")])).toBe(404);
});

test("items of a stream belong to its consumer", async () => {
  await using it = await startPair(REFERENCES);
  const client = new OpenAI({ baseURL: `${it.mine.url}/v1`, apiKey: it.mine.key, maxRetries: 0 });
  const stream = await client.responses.create({ model: "m", input: "x", stream: true });
  for await (const _ of stream);

  expect(await it.send(it.mine, REFERENCES)).toBe(200);
  expect(await it.send(it.mine, ["rs_done", "rs_completed"].map(reference))).toBe(200);
  expect(await it.send(it.mine, [reference("rs_echoed")])).toBe(404);
  for (const item of REFERENCES) expect(await it.send(it.other, [item])).toBe(404);
});

test.each(["response.completed", "response.output_item.done"])(
  "the search for the ids of 1,000 items in a long request does not block other requests: %s",
  async (type) => {
    const items = Array.from({ length: 1000 }, (_, n) => ({ id: `rs_${10_000_000 + n}` }));
    const events =
      type === "response.completed"
        ? [{ type, response: { output: items } }]
        : items.map((item) => ({ type, item }));
    const chunks = [events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")];
    const headers = { "content-type": "text/event-stream" };
    const script = [{ headers, chunks }];
    const options = { files_scope: "own" };
    await using it = await startConsumer(await kit(), [{ provider: "openai" }], script, options);
    const input = "x".repeat(2_000_000);

    const share = async () => {
      const [longest, , all] = await measureLongestTurn(async () => {
        const reply = await it.post(RESPONSES, { model: "m", input, stream: true });
        return await reply.text();
      });
      return longest / all;
    };

    expect(await minOfRuns(share, 0.5)).toBeLessThan(0.5);
  },
);

test("items of a response that ran in the background belong to its consumer when it reads them", async () => {
  await using it = await startPair([]);
  await it.send(it.mine, "x", { background: true });

  expect(await it.send(it.mine, [reference("rs_late")])).toBe(404);
  expect((await it.mine.get(`${RESPONSES}/resp_1`)).status).toBe(200);
  expect(await it.send(it.mine, [reference("rs_late")])).toBe(200);
});

test("an id that the client chose does not become its own, because it may be that of another consumer", async () => {
  const id = "resp_0123456789";
  const upstream = startUpstream(({ body }, count) => {
    const { request_id, input } = JSON.parse(body.toString() || "{}");
    const output = Array.isArray(input) ? input : [];
    const chosen = request_id && `resp_${request_id.replace(/^resp_/, "")}`;
    return { body: { id: count === 1 ? id : (chosen ?? `resp_new${count}`), output } };
  });
  await using _ = upstream;
  const vllm = [{ provider: "openai", url: `${upstream.url}/v1` }];
  const mine = await makeConsumer(await kit(), vllm, { files_scope: "own" });
  const registries = mine.registries.map(({ id }) => ({ id }));
  const scope = { registries, files_scope: "own" };
  const other = await addConsumer(await kit(), mine.gateway, [], scope);
  const post = (consumer: typeof mine, body: object) =>
    consumer.post(RESPONSES, { model: "m", input: "x", ...body });

  await post(mine, {});
  await post(other, { request_id: id });
  await other.post(RESPONSES, `{"model":"m","input":"x","request_id":"resp\\u005f0123456789"}`);
  await post(other, { request_id: "0123456789" });
  await post(other, { request_id: "run-1" });
  await post(other, { input: [{ id: "msg_9876543210", role: "user", content: "x" }] });

  expect((await other.get(`${RESPONSES}/${id}`)).status).toBe(404);
  expect((await other.get(`${RESPONSES}/resp_run-1`)).status).toBe(404);
  expect((await mine.get(`${RESPONSES}/${id}`)).status).toBe(200);
  expect((await post(other, { input: [reference("msg_9876543210")] })).status).toBe(404);
});

test("a reasoning item of a translated response can be returned: no upstream stores it", async () => {
  const message = { role: "assistant", content: "hi", reasoning_content: "hm" };
  const completion = { choices: [{ message, finish_reason: "stop" }] };
  await using it = await startConsumer(
    await kit(),
    [{ provider: "deepseek" }],
    [{ body: completion }],
    { files_scope: "own" },
  );
  const first = await it.post(RESPONSES, { model: "m", input: "x" });
  const { output } = (await first.json()) as { output: { type: string }[] };

  expect(output.map(({ type }) => type)).toEqual(["reasoning", "message"]);
  const input = [...output, { role: "user", content: "y" }];
  expect((await it.post(RESPONSES, { model: "m", input })).status).toBe(200);
});
