/** The unmodified OpenAI and Anthropic SDKs against an upstream that supports only responses. */
import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { responses } from "../dialects/cases/responses.ts";
import { formatEvents } from "../dialects/translate-case.ts";
import { sharedKit } from "../kit/kit.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import type { Script } from "../kit/upstream.ts";

const kit = sharedKit();
const { body, events = [] } = responses["reasoning-and-parallel-tool-calls"] ?? {};
const sse = formatEvents(events);

const ask = {
  model: "gpt-5",
  max_tokens: 300,
  messages: [{ role: "user" as const, content: "What is the weather in Paris and Rome?" }],
  thinking: { type: "adaptive" as const },
  output_config: { effort: "high" as const },
};

async function start(script: Script) {
  const one = await startConsumer(
    await kit(),
    [{ provider: "openai_compatible", capabilities: ["responses"] }],
    [script],
  );
  const anthropic = new Anthropic({ baseURL: one.url, apiKey: one.key, maxRetries: 0 });
  const openai = new OpenAI({ baseURL: `${one.url}/v1`, apiKey: one.key, maxRetries: 0 });
  const sent = (index: number) => JSON.parse(one.upstreams[0]?.hits[index]?.body.toString() ?? "");
  return { ...one, anthropic, openai, sent };
}

const EVENTS = { "content-type": "text/event-stream" };
const toBytes = (text: string) => [...Buffer.from(text)].map((byte) => Buffer.of(byte));
const respond: Script = (hit, count) => {
  if (!JSON.parse(hit.body.toString()).stream) return { body: body as object };
  return { headers: EVENTS, chunks: count % 2 === 0 ? [sse] : toBytes(sse) };
};

test("nothing is stored, and encrypted reasoning returns to the upstream", async () => {
  await using one = await start(respond);

  const { content } = await one.anthropic.messages.create(ask);
  await one.anthropic.messages.create({
    ...ask,
    messages: [
      ...ask.messages,
      { role: "assistant", content },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "call_1", content: "sunny" },
          { type: "tool_result", tool_use_id: "call_2", content: "rain" },
        ],
      },
    ],
  });

  expect(one.upstreams[0]?.hits[0]?.path).toBe("/responses");
  expect(one.sent(0)).toMatchObject({
    model: "gpt-5",
    max_output_tokens: 300,
    reasoning: { effort: "high" },
    include: ["reasoning.encrypted_content"],
    store: false,
  });
  expect(one.sent(1).input.slice(1)).toEqual([
    {
      type: "reasoning",
      summary: [{ type: "summary_text", text: "One city.\n\nLook it up." }],
      encrypted_content: "gAAA",
    },
    {
      type: "message",
      role: "assistant",
      content: [{ type: "output_text", text: "I look it up." }],
    },
    {
      type: "function_call",
      call_id: "call_1",
      name: "get_weather",
      arguments: '{"city":"Paris"}',
    },
    { type: "function_call", call_id: "call_2", name: "get_weather", arguments: '{"city":"Rome"}' },
    { type: "function_call_output", call_id: "call_1", output: "sunny" },
    { type: "function_call_output", call_id: "call_2", output: "rain" },
  ]);
});

test("a stream gives the same message and completion as the whole response, for chunks of any size", async () => {
  await using one = await start(respond);
  const chat = { model: ask.model, messages: ask.messages };

  const { _request_id, ...message } = await one.anthropic.messages.create(ask);
  for (const _ of ["at once", "byte by byte"]) {
    expect(await one.anthropic.messages.stream(ask).finalMessage()).toMatchObject(message);
  }
  const { choices } = await one.openai.chat.completions.create(chat);
  const streamed = await one.openai.chat.completions.stream(chat).finalChatCompletion();
  // The SDK does not join the pieces of members that it does not know.
  const { content, tool_calls } = choices[0]?.message ?? {};
  expect(streamed.choices[0]).toMatchObject({
    finish_reason: "tool_calls",
    message: { content, tool_calls },
  });
});

test("a member that responses do not have is a 400 with the client's name for it", async () => {
  await using one = await start(respond);
  const reply = await one.post("/v1/messages", { ...ask, stop_sequences: ["END"] });

  expect(reply.status).toBe(400);
  expect(await reply.json()).toMatchObject({ error: { param: "stop_sequences" } });
  expect(one.hits()).toEqual([0]);
});
