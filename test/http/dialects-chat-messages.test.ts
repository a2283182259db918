/** The unmodified OpenAI SDK against an upstream that supports only Anthropic messages. */
import { expect, test } from "bun:test";
import OpenAI from "openai";
import { sharedKit } from "../kit/kit.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import type { Script } from "../kit/upstream.ts";

const kit = sharedKit();
const EVENTS = { "content-type": "text/event-stream" };

const ask: OpenAI.ChatCompletionCreateParamsNonStreaming = {
  model: "gpt-5",
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "What is the weather in Paris and Rome?" },
  ],
  tools: [
    {
      type: "function",
      function: { name: "get_weather", parameters: { type: "object", properties: {} } },
    },
  ],
};

const usage = {
  input_tokens: 20,
  cache_read_input_tokens: 60,
  cache_creation_input_tokens: 10,
  output_tokens: 40,
};
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-5",
  content: [
    { type: "thinking", thinking: "Two cities.", signature: "c2ln" },
    { type: "text", text: "I look it up: é, 🌦." },
    { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Paris" } },
    { type: "tool_use", id: "toolu_2", name: "get_weather", input: {} },
  ],
  stop_reason: "tool_use",
  stop_sequence: null,
  usage,
};

const block = (index: number, content_block: object, ...deltas: object[]) => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
const tool = (id: string) => ({ type: "tool_use", id, name: "get_weather", input: {} });
const events = [
  {
    type: "message_start",
    message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  },
  { type: "ping" },
  ...block(
    0,
    { type: "thinking", thinking: "", signature: "" },
    { type: "thinking_delta", thinking: "Two " },
    { type: "thinking_delta", thinking: "cities." },
    { type: "signature_delta", signature: "c2ln" },
  ),
  ...block(
    1,
    { type: "text", text: "" },
    { type: "text_delta", text: "I look it up: " },
    { type: "text_delta", text: "é, 🌦." },
  ),
  ...block(
    2,
    tool("toolu_1"),
    { type: "input_json_delta", partial_json: "" },
    { type: "input_json_delta", partial_json: '{"city":' },
    { type: "input_json_delta", partial_json: '"Paris"}' },
  ),
  ...block(3, tool("toolu_2"), { type: "input_json_delta", partial_json: "" }),
  {
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { output_tokens: 40 },
  },
  { type: "message_stop" },
];
const sse = events
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join("");
const toBytes = (text: string) => [...Buffer.from(text)].map((byte) => Buffer.from([byte]));

async function start(script: Script) {
  const models = { map: { "gpt-*": "claude-sonnet-5" } };
  const one = await startConsumer(
    await kit(),
    [{ provider: "anthropic", capabilities: ["messages"], models }],
    [script],
  );
  const client = new OpenAI({ baseURL: `${one.url}/v1`, apiKey: one.key, maxRetries: 0 });
  const sent = (index: number) => JSON.parse(one.upstreams[0]?.hits[index]?.body.toString() ?? "");
  return { ...one, client, sent };
}

test("a chat completion is sent as a message, and the response is a chat completion", async () => {
  await using one = await start({ body: message });

  const completion = await one.client.chat.completions.create(ask);

  const [hit] = one.upstreams[0]?.hits ?? [];
  expect(hit?.path).toBe("/messages");
  expect(hit?.headers["anthropic-version"]).toBe("2023-06-01");
  expect(one.sent(0)).toEqual({
    model: "claude-sonnet-5",
    // From the model catalog.
    max_tokens: 128_000,
    system: [{ type: "text", text: "Be brief." }],
    messages: [
      { role: "user", content: [{ type: "text", text: "What is the weather in Paris and Rome?" }] },
    ],
    tools: [{ name: "get_weather", input_schema: { type: "object", properties: {} } }],
  });
  expect(completion).toMatchObject({
    id: "msg_1",
    object: "chat.completion",
    model: "gpt-5",
    choices: [
      {
        message: {
          content: "I look it up: é, 🌦.",
          reasoning_content: "Two cities.",
          tool_calls: [
            { id: "toolu_1", function: { name: "get_weather", arguments: '{"city":"Paris"}' } },
            { id: "toolu_2", function: { name: "get_weather", arguments: "{}" } },
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
  });
});

test("a streamed completion is the same as the whole one, for chunks of any size", async () => {
  await using one = await start((hit, count) =>
    JSON.parse(hit.body.toString()).stream
      ? { headers: EVENTS, chunks: count === 2 ? [sse] : toBytes(sse) }
      : { body: message },
  );
  const stream = () =>
    one.client.chat.completions
      .stream({ ...ask, stream: true, stream_options: { include_usage: true } })
      .finalChatCompletion();

  const whole = await one.client.chat.completions.create(ask);
  const results = [await stream(), await stream()];

  for (const { choices, usage: streamedUsage } of results) {
    const [choice] = choices;
    expect(choice?.finish_reason).toBe("tool_calls");
    const { tool_calls, content } = whole.choices[0]?.message ?? {};
    expect(choice?.message).toMatchObject({
      content,
      tool_calls,
      reasoning_details: [{ text: "Two cities." }],
    });
    expect(streamedUsage).toEqual(whole.usage);
  }
});

test("thinking returns to the upstream with its signature, and all tool results in one message", async () => {
  await using one = await start({ body: message });
  const first = await one.client.chat.completions.create(ask);

  await one.client.chat.completions.create({
    ...ask,
    reasoning_effort: "high",
    messages: [
      ...ask.messages,
      // biome-ignore lint/style/noNonNullAssertion: the upstream sends one
      first.choices[0]!.message,
      { role: "tool", tool_call_id: "toolu_1", content: "sunny" },
      { role: "tool", tool_call_id: "toolu_2", content: "rain" },
    ],
  });

  const result = (tool_use_id: string, text: string) => ({
    type: "tool_result",
    tool_use_id,
    content: [{ type: "text", text }],
  });
  expect(one.sent(1)).toMatchObject({
    thinking: { type: "adaptive" },
    output_config: { effort: "high" },
    messages: [
      { role: "user" },
      { role: "assistant", content: message.content },
      { role: "user", content: [result("toolu_1", "sunny"), result("toolu_2", "rain")] },
    ],
  });
});

test("an upstream's error keeps its status and message in OpenAI's format", async () => {
  const error = { type: "rate_limit_error", message: "Slow down." };
  await using one = await start({
    status: 429,
    headers: { "retry-after": "7", "request-id": "req_1" },
    body: { type: "error", error },
  });

  const thrown = await one.client.chat.completions.create(ask).catch((caught: unknown) => caught);

  expect(thrown).toMatchObject({
    status: 429,
    code: "rate_limit_error",
    error: { message: "Slow down.", type: "rate_limit_error" },
  });
  const { headers } = thrown as InstanceType<typeof OpenAI.APIError>;
  expect(headers?.get("retry-after")).toBe("7");
  expect(headers?.get("x-ag-upstream-request-id")).toBe("req_1");
});

test("a member that cannot be expressed is a 400 that names it", async () => {
  await using one = await start({ body: message });
  const fails = async (more: Partial<typeof ask>) => {
    const reply = await one.post("/v1/chat/completions", { ...ask, ...more });
    const { error } = (await reply.json()) as { error: { param: string } };
    return [reply.status, error.param];
  };

  expect(await fails({ n: 2 })).toEqual([400, "n"]);
  expect(await fails({ temperature: 1.5 })).toEqual([400, "temperature"]);
  expect(await fails({ presence_penalty: 1 })).toEqual([400, "presence_penalty"]);
  expect(await fails({ response_format: { type: "json_object" } })).toEqual([
    400,
    "response_format",
  ]);
  expect(await fails({ unknown: 1 } as object)).toEqual([400, "unknown"]);
  const file = { type: "file" as const, file: { file_id: "file-1" } };
  expect(await fails({ messages: [{ role: "user", content: [file] }] })).toEqual([
    400,
    "messages[0].content[0].file.file_id",
  ]);
  expect(one.hits()).toEqual([0]);
});
