/** The unmodified OpenAI SDK's responses against upstreams that support only messages or chat completions. */
import { expect, test } from "bun:test";
import OpenAI from "openai";
import { zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";
import { sharedKit } from "../kit/kit.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import type { Script } from "../kit/upstream.ts";

const kit = sharedKit();

const ask = {
  model: "gpt-5",
  instructions: "Be brief.",
  input: "What is the weather in Paris?",
  max_output_tokens: 300,
  tools: [
    {
      type: "function" as const,
      name: "get_weather",
      description: "Returns the weather",
      parameters: { type: "object", properties: { city: { type: "string" } } },
      strict: false,
    },
    { type: "custom" as const, name: "apply_patch", description: "Edits files" },
    { type: "web_search" as const },
  ],
};

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-5",
  content: [
    { type: "thinking", thinking: "One city.", signature: "c2lnbmVk" },
    { type: "text", text: "I look it up: é, 🌦." },
    { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Paris" } },
    { type: "tool_use", id: "toolu_2", name: "apply_patch", input: { input: "*** Begin\n" } },
  ],
  stop_reason: "tool_use",
  stop_sequence: null,
  usage: { input_tokens: 10, cache_read_input_tokens: 20, output_tokens: 30 },
};

const events = [
  {
    type: "message_start",
    message: {
      ...message,
      content: [],
      stop_reason: null,
      usage: { ...message.usage, output_tokens: 1 },
    },
  },
  block(0, { type: "thinking", thinking: "", signature: "" }),
  delta(0, { type: "thinking_delta", thinking: "One " }),
  delta(0, { type: "thinking_delta", thinking: "city." }),
  delta(0, { type: "signature_delta", signature: "c2lnbmVk" }),
  { type: "content_block_stop", index: 0 },
  block(1, { type: "text", text: "" }),
  { type: "ping" },
  delta(1, { type: "text_delta", text: "I look it up: " }),
  delta(1, { type: "text_delta", text: "é, 🌦." }),
  { type: "content_block_stop", index: 1 },
  block(2, { type: "tool_use", id: "toolu_1", name: "get_weather", input: {} }),
  delta(2, { type: "input_json_delta", partial_json: '{"city"' }),
  delta(2, { type: "input_json_delta", partial_json: ':"Paris"}' }),
  { type: "content_block_stop", index: 2 },
  block(3, { type: "tool_use", id: "toolu_2", name: "apply_patch", input: {} }),
  delta(3, { type: "input_json_delta", partial_json: '{"input":"*** Beg' }),
  delta(3, { type: "input_json_delta", partial_json: 'in\\n"}' }),
  { type: "content_block_stop", index: 3 },
  { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 30 } },
  { type: "message_stop" },
];
const sse = events
  .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  .join("");

function block(index: number, content_block: object) {
  return { type: "content_block_start", index, content_block };
}
function delta(index: number, part: object) {
  return { type: "content_block_delta", index, delta: part };
}

async function start(script: Script, capability = "messages") {
  const provider = capability === "messages" ? "anthropic" : "openai_compatible";
  const one = await startConsumer(
    await kit(),
    [{ provider, capabilities: [capability], models: { map: { "gpt-*": "claude-sonnet-5" } } }],
    [script],
  );
  const client = new OpenAI({ baseURL: `${one.url}/v1`, apiKey: one.key, maxRetries: 0 });
  const sent = (index: number) => JSON.parse(one.upstreams[0]?.hits[index]?.body.toString() ?? "");
  return { ...one, client, sent };
}

const EVENTS = { "content-type": "text/event-stream" };
const toBytes = (text: string) => [...Buffer.from(text)].map((byte) => Buffer.of(byte));
const catchError = async (promise: Promise<unknown>) =>
  await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

test("a responses request is sent as messages, and the response has output items", async () => {
  await using one = await start({ body: message });

  const response = await one.client.responses.create({ ...ask, metadata: { team: "a" } });

  expect(one.upstreams[0]?.hits[0]?.path).toBe("/messages");
  expect(one.sent(0)).toEqual({
    model: "claude-sonnet-5",
    max_tokens: 300,
    system: [{ type: "text", text: "Be brief." }],
    messages: [
      { role: "user", content: [{ type: "text", text: "What is the weather in Paris?" }] },
    ],
    tools: [
      {
        name: "get_weather",
        description: "Returns the weather",
        input_schema: ask.tools[0]?.parameters,
        strict: false,
      },
      {
        name: "apply_patch",
        description: "Edits files",
        input_schema: {
          type: "object",
          properties: { input: { type: "string" } },
          required: ["input"],
          additionalProperties: false,
        },
      },
    ],
  });
  expect(response).toMatchObject({
    object: "response",
    model: "gpt-5",
    status: "completed",
    output_text: "I look it up: é, 🌦.",
    metadata: { team: "a" },
    output: [
      { type: "reasoning", summary: [{ type: "summary_text", text: "One city." }] },
      { type: "message", content: [{ type: "output_text", text: "I look it up: é, 🌦." }] },
      {
        type: "function_call",
        call_id: "toolu_1",
        name: "get_weather",
        arguments: '{"city":"Paris"}',
      },
      { type: "custom_tool_call", call_id: "toolu_2", name: "apply_patch", input: "*** Begin\n" },
    ],
    usage: {
      input_tokens: 30,
      input_tokens_details: { cached_tokens: 20 },
      output_tokens: 30,
      total_tokens: 60,
    },
  });
});

test("a streamed response is the same as the whole one, for chunks of any size", async () => {
  await using one = await start((hit, count) =>
    JSON.parse(hit.body.toString()).stream
      ? { headers: EVENTS, chunks: count === 2 ? [sse] : toBytes(sse) }
      : { body: message },
  );
  // Ids contain the id of the request.
  const withoutIds = (value: unknown) =>
    JSON.parse(JSON.stringify(value), (name, inner) => (name === "id" ? undefined : inner));

  const { _request_id, ...whole } = await one.client.responses.create(ask);
  for (const _ of ["at once", "byte by byte"]) {
    const stream = one.client.responses.stream(ask);
    const numbers: number[] = [];
    stream.on("event", (event) => numbers.push(event.sequence_number));
    const { output_parsed, ...streamed } = await stream.finalResponse();

    expect(numbers).toEqual(numbers.map((_, index) => index));
    expect(withoutIds(streamed)).toMatchObject({
      ...withoutIds(whole),
      created_at: expect.any(Number),
    });
  }
});

test("output items return to the upstream with the signature of the thinking", async () => {
  await using one = await start({ body: message });
  // Adds `parsed` and `parsed_arguments` to the output, as the SDK's streams do.
  const { output } = await one.client.responses.parse(ask);

  await one.client.responses.create({
    ...ask,
    input: [
      { role: "user", content: ask.input },
      // The SDK's type for input lacks members of output.
      ...(output as OpenAI.Responses.ResponseInputItem[]),
      { type: "function_call_output", call_id: "toolu_1", output: "sunny" },
      {
        type: "custom_tool_call_output",
        call_id: "toolu_2",
        output: [{ type: "input_image", image_url: "data:image/png;base64,iVBO", detail: "auto" }],
      },
    ],
  });

  expect(one.sent(1).messages.slice(1)).toEqual([
    { role: "assistant", content: message.content },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "toolu_1",
          content: [{ type: "text", text: "sunny" }],
        },
        {
          type: "tool_result",
          tool_use_id: "toolu_2",
          content: [
            {
              type: "image",
              source: { type: "base64", media_type: "image/png", data: "iVBO" },
            },
          ],
        },
      ],
    },
  ]);
});

test("a parsed response has a JSON schema at a chat upstream", async () => {
  const completion = {
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: '{"city":"Paris"}' },
        finish_reason: "stop",
      },
    ],
  };
  await using one = await start({ body: completion }, "chat");
  const format = zodTextFormat(z.object({ city: z.string() }), "place");

  const parsed = await one.client.responses.parse({
    model: "m",
    input: "Where?",
    text: { format },
  });

  expect(parsed.output_parsed).toEqual({ city: "Paris" });
  expect(one.sent(0).response_format).toMatchObject({
    type: "json_schema",
    json_schema: { name: "place", strict: true },
  });
});

test("an upstream's limit makes the response incomplete", async () => {
  await using one = await start({
    body: { ...message, content: [message.content[1]], stop_reason: "max_tokens" },
  });
  const response = await one.client.responses.create(ask);
  expect(response).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
  });
});

test("stored state, unknown members and unknown items are a 400 that names them", async () => {
  await using one = await start({ body: message });
  const bad: [object, string][] = [
    [{ previous_response_id: "resp_1" }, "previous_response_id"],
    [{ unknown: 1 }, "unknown"],
    [{ input: [{ type: "item_reference", id: "rs_1" }] }, "input[0].type"],
    [{ tools: [{ type: "file_search", vector_store_ids: [] }] }, "tools[0].type"],
  ];
  for (const [members, param] of bad) {
    const body = { ...ask, ...members } as typeof ask;
    expect(await catchError(one.client.responses.create(body))).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      param,
    });
  }
  expect(one.hits()).toEqual([0]);
});

test("errors of the upstream keep status, message and code, whole and inside of a stream", async () => {
  const error = { type: "overloaded_error", message: "Overloaded" };
  const events = `${sse.slice(0, sse.indexOf("event: ping"))}event: error\ndata: ${JSON.stringify({ type: "error", error })}\n\n`;
  await using one = await start((hit) =>
    JSON.parse(hit.body.toString()).stream
      ? { headers: EVENTS, chunks: [events] }
      : { status: 529, body: { type: "error", error } },
  );

  expect(await catchError(one.client.responses.create(ask))).toMatchObject({
    status: 529,
    code: "overloaded_error",
    message: expect.stringContaining("Overloaded"),
  });
  const types: string[] = [];
  let failed: unknown;
  for await (const event of await one.client.responses.create({ ...ask, stream: true })) {
    types.push(event.type);
    if (event.type === "response.failed") failed = event.response;
  }
  expect(types.at(-1)).toBe("response.failed");
  expect(failed).toMatchObject({
    status: "failed",
    error: { code: "overloaded_error", message: "Overloaded" },
  });
});

test("a stream that ends inside a tool call ends with an error event", async () => {
  const cut = sse.slice(0, sse.indexOf(':\\"Paris'));
  await using one = await start({ headers: EVENTS, chunks: [cut] });

  const text = await (
    await one.call("/v1/responses", {
      method: "POST",
      body: JSON.stringify({ ...ask, stream: true }),
      headers: { "content-type": "application/json" },
    })
  ).text();

  expect(text).not.toContain("response.completed");
  expect(text.trim().split("\n\n").at(-1)).toContain("event: error");
});
