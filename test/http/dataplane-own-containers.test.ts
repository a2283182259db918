/** `files_scope: own`: containers and audio of earlier responses must be of a response that the consumer received. */
import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { addConsumer, makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { startUpstream, type UpstreamResponse } from "../kit/upstream.ts";

const kit = sharedKit();
const EVENTS = { "content-type": "text/event-stream" };
const toEvents = (...events: object[]): UpstreamResponse => ({
  headers: EVENTS,
  chunks: events.map((event) => `data: ${JSON.stringify(event)}\n\n`),
});

/** Two consumers with own scope at one registry. */
async function startPair(provider: string, respond: (stream: boolean) => UpstreamResponse) {
  const upstream = startUpstream(({ body }) =>
    respond(JSON.parse(body.toString() || "{}").stream === true),
  );
  const registry = [{ provider, url: `${upstream.url}/v1` }];
  const mine = await makeConsumer(await kit(), registry, { files_scope: "own" });
  const registries = mine.registries.map(({ id }) => ({ id }));
  const other = await addConsumer(await kit(), mine.gateway, [], {
    registries,
    files_scope: "own",
  });
  const dispose = () => upstream[Symbol.asyncDispose]();
  return { upstream, mine, other, [Symbol.asyncDispose]: dispose };
}

const USER = { role: "user" as const, content: "x" };
const CODE = { type: "code_execution_20250825", name: "code_execution" };
const message = { model: "m", max_tokens: 9, messages: [USER] };
const response = { id: "resp_1", object: "response" };
const item = { type: "code_interpreter_call", id: "ci_1", code: "1", container_id: "cntr_1" };
const audio = { id: "audio_1", data: "aGk=", transcript: "hi", expires_at: 1 };

const CASES: {
  name: string;
  provider: string;
  path: string;
  first: object;
  whole: object;
  events: object[];
  references: object[];
}[] = [
  {
    name: "a container of Anthropic",
    provider: "anthropic",
    path: "/v1/messages",
    first: { ...message, tools: [CODE] },
    whole: { id: "msg_1", type: "message", content: [], container: { id: "container_1" } },
    events: [
      { type: "message_start", message: { id: "msg_1", content: [] } },
      { type: "message_delta", delta: { container: { id: "container_1" } } },
      { type: "message_stop" },
    ],
    references: [
      { ...message, container: "container_1" },
      { ...message, container: { id: "container_1", skills: [] } },
      { ...message, Container: "container_1" },
    ],
  },
  {
    name: "a container of OpenAI",
    provider: "openai",
    path: "/v1/responses",
    first: { model: "m", input: "x" },
    whole: { ...response, output: [item] },
    events: [
      { type: "response.created", response },
      { type: "response.output_item.added", item },
      { type: "response.completed", response },
    ],
    references: [
      { model: "m", input: "x", tools: [{ type: "code_interpreter", container: "cntr_1" }] },
      { model: "m", input: [{ ...item, id: undefined }] },
      {
        model: "m",
        input: "x",
        tools: [{ type: "shell", environment: { container_id: "cntr_1" } }],
      },
    ],
  },
  {
    name: "audio of OpenAI",
    provider: "openai",
    path: "/v1/chat/completions",
    first: { model: "m", messages: [USER], modalities: ["audio"], audio: { voice: "a" } },
    whole: { choices: [{ message: { role: "assistant", audio } }] },
    events: [{ choices: [{ delta: { audio } }] }],
    references: [
      { model: "m", messages: [{ role: "assistant", audio: { id: "audio_1" } }, USER] },
      { model: "m", messages: [{ role: "assistant", audio: { ID: "audio_1" } }, USER] },
    ],
  },
];

test.each(
  CASES.flatMap((each) => [
    { ...each, stream: false },
    { ...each, stream: true },
  ]),
)(
  "$name, streamed: $stream, belongs to the consumer whose response created it",
  async ({ provider, path, first, whole, events, references, stream }) => {
    const text = { id: "x", choices: [], content: [] };
    await using it = await startPair(provider, () => ({ body: text }));
    for (const body of references) expect((await it.mine.post(path, body)).status).toBe(404);
    expect(it.upstream.hits.length).toBe(0);

    it.upstream.script(stream ? toEvents(...events, { done: true }) : { body: whole });
    const created = await it.mine.post(path, { ...first, stream });
    expect([created.status, (await created.text()).length > 0]).toEqual([200, true]);
    it.upstream.script({ body: text });

    for (const body of references) {
      expect([body, (await it.mine.post(path, body)).status]).toEqual([body, 200]);
      expect([body, (await it.other.post(path, body)).status]).toEqual([body, 404]);
    }
  },
);

test("the SDK of Anthropic continues in the container of its first response", async () => {
  await using it = await startPair("anthropic", () => ({ body: CASES[0]?.whole ?? {} }));
  const client = new Anthropic({ baseURL: it.mine.url, apiKey: it.mine.key, maxRetries: 0 });
  const create = (container?: string) =>
    client.beta.messages.create({
      ...message,
      tools: [{ type: "code_execution_20250825", name: "code_execution" }],
      ...(container && { container }),
    });

  const { container } = await create();

  expect(await create(container?.id)).toMatchObject({ container: { id: "container_1" } });
});

test("a shell of a response that is not stored can be returned with its container", async () => {
  const environment = { type: "container_reference", container_id: "cntr_2" };
  const call = { type: "shell_call", id: "sh_1", call_id: "c", action: { commands: ["ls"] } };
  const output = [{ ...call, environment }];
  await using it = await startPair("openai", () => ({ body: { ...response, output } }));
  const post = async (consumer: typeof it.mine, input: unknown) =>
    (await consumer.post("/v1/responses", { model: "m", input, store: false })).status;

  expect(await post(it.mine, "x")).toBe(200);
  expect(await post(it.mine, output)).toBe(200);
  expect(await post(it.other, output)).toBe(404);
});

test("a new container, and what only resembles one, is no reference", async () => {
  await using it = await startPair("openai", () => ({ body: response }));
  const post = async (body: object) =>
    (await it.mine.post("/v1/responses", { model: "m", input: "x", ...body })).status;

  for (const body of [
    { tools: [{ type: "code_interpreter", container: { type: "auto", memory_limit: "4g" } }] },
    { tools: [{ type: "function", name: "f", parameters: { properties: { container: {} } } }] },
    { input: [{ role: "user", content: [{ type: "input_text", text: '{"container":"x"}' }] }] },
    { input: [{ type: "function_call", name: "f", call_id: "c", arguments: '{"container":"x"}' }] },
    { tools: [{ type: "function", name: "f", parameters: { required: ["container_id"] } }] },
  ]) {
    expect([body, await post(body)]).toEqual([body, 200]);
  }
});

test("containers nested in the ids of containers are read in linear time", async () => {
  await using it = await startPair("openai", () => ({ body: {} }));
  const nested = `${'{"container":{"id":'.repeat(60)}0${"}}".repeat(60)}`;

  const reply = await it.mine.post("/v1/chat/completions", `{"model":"m","a":${nested}}`);

  expect(reply.status).toBe(200);
});
