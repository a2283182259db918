/** The unmodified Anthropic SDK against upstreams that support only chat completions. */
import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { sharedKit } from "../kit/kit.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import type { Script } from "../kit/upstream.ts";

const kit = sharedKit();

const ask = {
  model: "claude-sonnet-5",
  max_tokens: 300,
  system: [
    { type: "text" as const, text: "Be brief.", cache_control: { type: "ephemeral" as const } },
  ],
  messages: [{ role: "user" as const, content: "What is the weather in Paris and Rome?" }],
  tools: [
    {
      name: "get_weather",
      description: "Returns the weather",
      input_schema: { type: "object" as const, properties: { city: { type: "string" } } },
    },
  ],
};

const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "qwen3",
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        content: "I look it up: é, 🌦.",
        reasoning_content: "Two cities.",
        tool_calls: [
          {
            id: "call_1",
            type: "function",
            function: { name: "get_weather", arguments: '{"city":"Paris"}' },
          },
          { id: "call_2", type: "function", function: { name: "get_weather", arguments: "{}" } },
        ],
      },
      finish_reason: "tool_calls",
    },
  ],
  usage: {
    prompt_tokens: 90,
    completion_tokens: 40,
    total_tokens: 130,
    prompt_tokens_details: { cached_tokens: 60 },
  },
};

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  created: 1,
  model: "qwen3",
  choices: [{ index: 0, delta, finish_reason }],
});
const call = (index: number, id: string, text: string) => ({
  tool_calls: [{ index, id, type: "function", function: { name: "get_weather", arguments: text } }],
});
const stream = [
  chunk({ role: "assistant", content: "" }),
  chunk({ reasoning_content: "Two " }),
  chunk({ reasoning_content: "cities." }),
  chunk({ content: "I look it up: " }),
  chunk({ content: "é, 🌦." }),
  chunk(call(0, "call_1", '{"city"')),
  chunk({ tool_calls: [{ index: 0, function: { arguments: ':"Paris"}' } }] }),
  chunk(call(1, "call_2", "")),
  chunk({}, "tool_calls"),
  { ...chunk({}), choices: [], usage: completion.usage },
];
const sse = `${stream.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`;

async function start(script: Script, provider = "openai_compatible") {
  const one = await startConsumer(
    await kit(),
    [{ provider, capabilities: ["chat"], models: { map: { "claude-*": "qwen3" } } }],
    [script],
  );
  const client = new Anthropic({ baseURL: one.url, apiKey: one.key, maxRetries: 0 });
  return { ...one, client };
}

const EVENTS = { "content-type": "text/event-stream" };
const toBytes = (text: string) => [...Buffer.from(text)].map((byte) => Buffer.from([byte]));

test("a message request is sent as a chat completion, and the response is a message", async () => {
  await using one = await start({ body: completion });

  const message = await one.client.messages.create(ask);

  const [hit] = one.upstreams[0]?.hits ?? [];
  expect(hit?.path).toBe("/chat/completions");
  expect(JSON.parse(hit?.body.toString() ?? "")).toEqual({
    model: "qwen3",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "What is the weather in Paris and Rome?" },
    ],
    tools: [
      {
        type: "function",
        function: {
          name: "get_weather",
          description: "Returns the weather",
          parameters: { type: "object", properties: { city: { type: "string" } } },
        },
      },
    ],
    max_tokens: 300,
  });
  expect(message).toMatchObject({
    id: "chatcmpl-1",
    type: "message",
    model: "claude-sonnet-5",
    content: [
      { type: "thinking", thinking: "Two cities." },
      { type: "text", text: "I look it up: é, 🌦." },
      { type: "tool_use", id: "call_1", name: "get_weather", input: { city: "Paris" } },
      { type: "tool_use", id: "call_2", name: "get_weather", input: {} },
    ],
    stop_reason: "tool_use",
    usage: { input_tokens: 30, cache_read_input_tokens: 60, output_tokens: 40 },
  });
});

test("a streamed message is the same as the whole one, for chunks of any size", async () => {
  await using one = await start((hit, count) =>
    JSON.parse(hit.body.toString()).stream
      ? { headers: EVENTS, chunks: count === 2 ? [sse] : toBytes(sse) }
      : { body: completion },
  );

  const { _request_id, ...whole } = await one.client.messages.create(ask);
  const streamed = await one.client.messages.stream(ask).finalMessage();
  const bytewise = await one.client.messages.stream(ask).finalMessage();

  expect(JSON.parse(one.upstreams[0]?.hits[1]?.body.toString() ?? "")).toMatchObject({
    stream: true,
    stream_options: { include_usage: true },
  });
  expect(streamed).toMatchObject(whole);
  expect(bytewise).toMatchObject(whole);
});

test("thinking returns to the upstream in the member it came from", async () => {
  await using one = await start({ body: completion });
  const { content } = await one.client.messages.create(ask);

  await one.client.messages.create({
    ...ask,
    messages: [
      ...ask.messages,
      { role: "assistant", content },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_1", content: "sunny" },
          {
            type: "tool_result",
            tool_use_id: "call_2",
            is_error: true,
            content: [
              { type: "text", text: "A photo:" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBO" } },
            ],
          },
          { type: "text", text: "Answer now." },
        ],
      },
    ],
  });

  const sent = JSON.parse(one.upstreams[0]?.hits[1]?.body.toString() ?? "");
  expect(sent.messages.slice(2)).toEqual([
    {
      role: "assistant",
      content: "I look it up: é, 🌦.",
      reasoning_content: "Two cities.",
      tool_calls: completion.choices[0]?.message.tool_calls,
    },
    { role: "tool", tool_call_id: "call_1", content: "sunny" },
    { role: "tool", tool_call_id: "call_2", content: "A photo:" },
    {
      role: "user",
      content: [
        { type: "image_url", image_url: { url: "data:image/png;base64,iVBO" } },
        { type: "text", text: "Answer now." },
      ],
    },
  ]);
});

test("a tool that the tool search of Claude Code found is named in the result", async () => {
  await using one = await start({ body: completion });
  const call = { type: "tool_use" as const, id: "call_1", name: "ToolSearch", input: {} };
  const found = { type: "tool_reference" as const, tool_name: "get_weather" };

  await one.client.messages.create({
    ...ask,
    messages: [
      ...ask.messages,
      { role: "assistant", content: [call] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "call_1", content: [found] }],
      },
    ],
  });

  const sent = JSON.parse(one.upstreams[0]?.hits[0]?.body.toString() ?? "");
  expect(sent.messages.at(-1)).toEqual({
    role: "tool",
    tool_call_id: "call_1",
    content: "Found tool: get_weather",
  });
});

test("an upstream's error keeps its status, message and code in Anthropic's format", async () => {
  const error = { message: "Too many tokens.", type: "tokens", code: "context_length_exceeded" };
  await using one = await start({ status: 400, body: { error } });

  const thrown = await one.client.messages.create(ask).catch((caught: unknown) => caught);

  expect(thrown).toMatchObject({
    status: 400,
    error: {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "Too many tokens.",
        code: "context_length_exceeded",
      },
    },
  });
});

test("a request that cannot be translated is a 400 that names the member, and is not sent", async () => {
  await using one = await start({ body: completion });
  const search = { type: "web_search_20250305" as const, name: "web_search" as const };

  const thrown = await one.client.messages
    .create({ ...ask, tools: [search] })
    .catch((caught: unknown) => caught);

  expect(thrown).toMatchObject({
    status: 400,
    error: { error: { type: "invalid_request_error", param: "tools[0].type" } },
  });
  expect(one.hits()).toEqual([0]);
});

test("a stream that ends inside a tool call ends with an error event", async () => {
  const cut = sse.slice(0, sse.indexOf(':\\"Paris') - 100);
  await using one = await start({ headers: EVENTS, chunks: [cut] });

  const thrown = await one.client.messages
    .stream(ask)
    .finalMessage()
    .catch((caught: unknown) => caught);

  expect(thrown).toMatchObject({ error: { error: { type: "api_error" } } });
});
