/** The unmodified OpenAI and Anthropic SDKs against the Converse API of Bedrock. */
import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { EventStreamCodec } from "@smithy/eventstream-codec";
import OpenAI from "openai";
import type { Explanation } from "../../src/contract/gateway/explain.ts";
import { sharedKit } from "../kit/kit.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import type { Script, UpstreamResponse } from "../kit/upstream.ts";

const kit = sharedKit();
const MODEL = "us.anthropic.claude-sonnet-4-6-v1:0";

const ask = {
  model: "claude-sonnet-4-6",
  max_tokens: 300,
  system: [
    { type: "text" as const, text: "Be brief.", cache_control: { type: "ephemeral" as const } },
  ],
  messages: [{ role: "user" as const, content: "What is the weather in Paris?" }],
  tools: [{ name: "get_weather", input_schema: { type: "object" as const, properties: {} } }],
};

const whole = {
  output: {
    message: {
      role: "assistant",
      content: [
        { reasoningContent: { reasoningText: { text: "One city.", signature: "c2lnbmVk" } } },
        { text: "I look it up: é, 🌦." },
        { toolUse: { toolUseId: "tooluse_1", name: "get_weather", input: { city: "Paris" } } },
      ],
    },
  },
  stopReason: "tool_use",
  usage: { inputTokens: 10, outputTokens: 30, totalTokens: 60, cacheReadInputTokens: 20 },
  metrics: { latencyMs: 5 },
};

// The encoder of the AWS SDK.
const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString(),
  (text) => Buffer.from(text),
);
const encode = (name: string, payload: object, type = "event") =>
  codec.encode({
    headers: {
      [`:${type}-type`]: { type: "string", value: name },
      ":content-type": { type: "string", value: "application/json" },
      ":message-type": { type: "string", value: type },
    },
    body: Buffer.from(JSON.stringify(payload)),
  });
const delta = (contentBlockIndex: number, part: object) =>
  encode("contentBlockDelta", { contentBlockIndex, delta: part });
const stop = (contentBlockIndex: number) => encode("contentBlockStop", { contentBlockIndex });

const frames = [
  encode("messageStart", { role: "assistant" }),
  delta(0, { reasoningContent: { text: "One city." } }),
  delta(0, { reasoningContent: { signature: "c2lnbmVk" } }),
  stop(0),
  delta(1, { text: "I look it up: " }),
  delta(1, { text: "é, 🌦." }),
  stop(1),
  encode("contentBlockStart", {
    contentBlockIndex: 2,
    start: { toolUse: { toolUseId: "tooluse_1", name: "get_weather" } },
  }),
  delta(2, { toolUse: { input: '{"city"' } }),
  delta(2, { toolUse: { input: ':"Paris"}' } }),
  stop(2),
  encode("messageStop", { stopReason: "tool_use" }),
  encode("metadata", { usage: whole.usage, metrics: whole.metrics }),
];
const TYPE = { "content-type": "application/vnd.amazon.eventstream" };
const toStream = (chunks: Uint8Array[]): UpstreamResponse => ({ headers: TYPE, chunks });
const toBytes = (parts: Uint8Array[]) => [...Buffer.concat(parts)].map((byte) => Buffer.of(byte));

async function start(script: Script) {
  const one = await startConsumer(
    await kit(),
    [
      {
        provider: "bedrock",
        capabilities: ["converse"],
        options: { region: "eu-central-1" },
        models: { map: { "claude-*": MODEL } },
      },
    ],
    [script],
  );
  const anthropic = new Anthropic({ baseURL: one.url, apiKey: one.key, maxRetries: 0 });
  const openai = new OpenAI({ baseURL: `${one.url}/v1`, apiKey: one.key, maxRetries: 0 });
  return { ...one, anthropic, openai };
}

const catchError = async (promise: Promise<unknown>) =>
  await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

test("a message request is sent to Converse, with the model in the path", async () => {
  await using one = await start({ body: whole });

  const message = await one.anthropic.messages.create(ask);

  const [hit] = one.upstreams[0]?.hits ?? [];
  expect(hit).toMatchObject({
    path: `/model/${encodeURIComponent(MODEL)}/converse`,
    headers: { accept: "application/json", "content-type": "application/json" },
  });
  expect(hit?.headers.authorization).toStartWith("Bearer ");
  expect(JSON.parse(hit?.body.toString() ?? "")).toEqual({
    system: [{ text: "Be brief." }, { cachePoint: { type: "default" } }],
    messages: [{ role: "user", content: [{ text: "What is the weather in Paris?" }] }],
    inferenceConfig: { maxTokens: 300 },
    toolConfig: {
      tools: [
        {
          toolSpec: {
            name: "get_weather",
            inputSchema: { json: { type: "object", properties: {} } },
          },
        },
      ],
    },
  });
  expect(message).toMatchObject({
    model: "claude-sonnet-4-6",
    content: [
      { type: "thinking", thinking: "One city." },
      { type: "text", text: "I look it up: é, 🌦." },
      { type: "tool_use", id: "tooluse_1", name: "get_weather", input: { city: "Paris" } },
    ],
    stop_reason: "tool_use",
    usage: { input_tokens: 10, cache_read_input_tokens: 20, output_tokens: 30 },
  });
});

test("a binary stream gives the same message and completion as the whole response", async () => {
  await using one = await start((hit, count) =>
    hit.path.endsWith("/converse-stream")
      ? toStream(count % 2 === 0 ? frames : toBytes(frames))
      : { body: whole },
  );
  const chat = { model: ask.model, messages: ask.messages };

  const { _request_id, id, ...message } = await one.anthropic.messages.create(ask);
  expect(await one.anthropic.messages.stream(ask).finalMessage()).toMatchObject(message);
  expect(await one.anthropic.messages.stream(ask).finalMessage()).toMatchObject(message);
  const completion = await one.openai.chat.completions.create(chat);
  const streamed = await one.openai.chat.completions.stream(chat).finalChatCompletion();
  expect(streamed.choices[0]?.message).toMatchObject({ ...completion.choices[0]?.message });
  expect(one.upstreams[0]?.hits[1]?.headers.accept).toBe(TYPE["content-type"]);
});

test("thinking returns to Converse with its signature", async () => {
  await using one = await start({ body: whole });
  const { content } = await one.anthropic.messages.create(ask);

  await one.anthropic.messages.create({
    ...ask,
    messages: [
      ...ask.messages,
      { role: "assistant", content },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "tooluse_1", content: "sunny" }],
      },
    ],
  });

  const sent = JSON.parse(one.upstreams[0]?.hits[1]?.body.toString() ?? "");
  expect(sent.messages.slice(1)).toEqual([
    { role: "assistant", content: whole.output.message.content },
    {
      role: "user",
      content: [{ toolResult: { toolUseId: "tooluse_1", content: [{ text: "sunny" }] } }],
    },
  ]);
});

test("routing explains the translation, and needs a model", async () => {
  await using one = await start({ body: whole });
  const explain = async (model?: string) => {
    const reply = await (await kit()).post(`${one.path}/explain`, { path: "/v1/messages", model });
    const { registries } = (await reply.json()) as Explanation;
    return registries[0];
  };
  const url = one.upstreams[0]?.url;

  expect(await explain("claude-opus")).toMatchObject({
    dialect: "converse",
    translated: true,
    url: `${url}/model/${encodeURIComponent(MODEL)}/converse`,
  });
  expect(await explain()).toMatchObject({ in: false, reason: "needs_model" });
});

test("10,000 tools and an image near the limit of a body reach Bedrock", async () => {
  await using one = await start({ body: whole });
  const tools = Array.from({ length: 10_000 }, (_, index) => ({
    type: "function" as const,
    function: { name: `tool_${index}`, parameters: { type: "object", properties: {} } },
  }));
  const image = Buffer.alloc(11 * 1024 * 1024, 7).toString("base64");
  const url = `data:image/png;base64,${image}`;

  await one.openai.chat.completions.create({
    model: ask.model,
    tools,
    messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
  });

  const sent = JSON.parse(one.upstreams[0]?.hits[0]?.body.toString() ?? "");
  expect(sent.toolConfig.tools).toHaveLength(10_000);
  expect(sent.messages[0].content[0].image.source.bytes === image).toBe(true);
});

test("errors of Bedrock keep status and message, whole and inside of a stream", async () => {
  const exception = encode("throttlingException", { message: "Slow down" }, "exception");
  await using one = await start((hit) =>
    hit.path.endsWith("/converse-stream")
      ? toStream([...frames.slice(0, 5), exception])
      : { status: 400, body: { message: "The model is unknown." } },
  );

  expect(await catchError(one.anthropic.messages.create(ask))).toMatchObject({
    status: 400,
    error: { error: { type: "invalid_request_error", message: "The model is unknown." } },
  });
  expect(await catchError(one.anthropic.messages.stream(ask).finalMessage())).toMatchObject({
    error: { error: { message: "Slow down" } },
  });
});

test("a stream that is cut, changed or in another framing ends with an error", async () => {
  const changed = frames.map((frame, index) => {
    const copy = Buffer.from(frame);
    if (index === 4) copy[copy.length - 10] = 0x7a;
    return copy;
  });
  let script: UpstreamResponse = {};
  await using one = await start(() => script);
  for (const chunks of [frames.slice(0, 9), changed, [...frames.slice(0, 4), "data: {}\n\n"]]) {
    script = { headers: TYPE, chunks };
    expect(await catchError(one.anthropic.messages.stream(ask).finalMessage())).toMatchObject({
      error: { error: { type: "api_error" } },
    });
  }
});

test("a model that would change the path, and a missing one, are rejected", async () => {
  await using one = await start({ body: whole });
  for (const model of [".", "..", undefined]) {
    const reply = await one.post("/v1/messages", { ...ask, model });
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ error: { param: "model" } });
  }
  expect(one.hits()).toEqual([0]);
});
