/** Requests and responses of chat completions. */
import type { JsonObject } from "../../../src/lib/json/json-object.ts";
import type { RequestCases, ResponseCase, ResponseCases } from "./dialect-cases.ts";

const ask = (more: JsonObject, content: unknown = "Hello"): JsonObject => ({
  model: "client-model",
  messages: [{ role: "user", content }],
  ...more,
});
const part = (content: JsonObject): JsonObject =>
  ask({}, [{ type: "text", text: "Look:" }, content]);

const weather = {
  type: "function",
  function: {
    name: "get_weather",
    description: "Returns the weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    strict: true,
  },
};
const call = (id: string, text: string) => ({
  id,
  type: "function",
  function: { name: "get_weather", arguments: text },
});
const turns = (assistant: JsonObject, ...rest: JsonObject[]): JsonObject => ({
  model: "client-model",
  messages: [{ role: "user", content: "Weather?" }, { role: "assistant", ...assistant }, ...rest],
  tools: [weather],
});

export const requests: RequestCases = {
  "system-prompts": {
    model: "client-model",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "developer", content: [{ type: "text", text: "Be kind." }] },
      { role: "user", content: "Hello", name: "ann" },
      { role: "assistant", content: "Hi" },
      { role: "system", content: "Now in French." },
      { role: "user", content: "Hello again" },
    ],
  },
  sampling: ask({
    max_completion_tokens: 100,
    temperature: 0.5,
    top_p: 0.9,
    stop: ["END", "STOP"],
    seed: 7,
    user: "user-1",
    presence_penalty: 0,
    stream: true,
    stream_options: { include_usage: true },
  }),
  penalties: ask({ presence_penalty: 0.5, frequency_penalty: 0.5 }),
  "high-temperature": ask({ temperature: 1.7 }),
  tools: ask({ tools: [weather], tool_choice: "auto", parallel_tool_calls: false }),
  "tool-choice-required": ask({ tools: [weather], tool_choice: "required" }),
  "tool-choice-none": ask({ tools: [weather], tool_choice: "none" }),
  "tool-choice-function": ask({
    tools: [weather, { type: "function", function: { name: "stop" } }],
    tool_choice: { type: "function", function: { name: "stop" } },
  }),
  "parallel-tool-calls": turns(
    {
      content: "I look it up.",
      tool_calls: [call("call_1", '{"city":"Paris"}'), call("call_2", '{"city":"Rome"}')],
    },
    { role: "tool", tool_call_id: "call_1", content: "sunny" },
    { role: "tool", tool_call_id: "call_2", content: [{ type: "text", text: "rain" }] },
    { role: "user", content: "Thanks" },
  ),
  "tool-call-without-arguments": turns(
    { content: null, tool_calls: [call("functions.get_weather:0", "")] },
    { role: "tool", tool_call_id: "functions.get_weather:0", content: "" },
  ),
  "tool-call-with-invalid-json": turns(
    { content: null, tool_calls: [call("call_1", '{"city":')] },
    { role: "tool", tool_call_id: "call_1", content: "sunny" },
  ),
  "image-data": part({
    type: "image_url",
    image_url: { url: "data:image/png;base64,iVBORw0K", detail: "low" },
  }),
  "image-url": part({ type: "image_url", image_url: { url: "https://example.com/a.png" } }),
  pdf: part({
    type: "file",
    file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBERi0=" },
  }),
  "file-id": part({ type: "file", file: { file_id: "file-1" } }),
  audio: part({ type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } }),
  "unknown-part": part({ type: "hologram", hologram: {} }),
  "cache-control": {
    model: "client-model",
    messages: [
      {
        role: "system",
        content: [{ type: "text", text: "Long.", cache_control: { type: "ephemeral", ttl: "1h" } }],
      },
      {
        role: "user",
        content: [{ type: "text", text: "Hello", cache_control: { type: "ephemeral" } }],
      },
    ],
  },
  "thinking-of-messages": turns(
    {
      content: "I look it up.",
      reasoning_content: "One city.",
      reasoning_details: [
        {
          type: "reasoning.text",
          text: "One city.",
          signature: Buffer.from("portcullis:sig:messages:c2ln").toString("base64"),
          index: 0,
        },
      ],
      tool_calls: [call("call_1", '{"city":"Paris"}')],
    },
    { role: "tool", tool_call_id: "call_1", content: "sunny" },
  ),
  "unsigned-reasoning": turns({ content: "Sunny.", reasoning_content: "One city." }),
  refusal: turns({ content: null, refusal: "I cannot help." }, { role: "user", content: "Why?" }),
  "reasoning-effort": ask({ reasoning_effort: "high" }),
  "reasoning-none": ask({ reasoning_effort: "none" }),
  "json-object": ask({ response_format: { type: "json_object" } }),
  "json-schema": ask({
    response_format: {
      type: "json_schema",
      json_schema: {
        name: "city",
        strict: true,
        schema: {
          type: "object",
          properties: { name: { type: "string" } },
          required: ["name"],
          additionalProperties: false,
        },
      },
    },
  }),
  dropped: ask({ store: true, metadata: { a: "b" }, service_tier: "auto", verbosity: "low" }),
  "several-choices": ask({ n: 2 }),
  "unknown-member": ask({ surprise: true }),
};

const usage = {
  prompt_tokens: 90,
  completion_tokens: 40,
  total_tokens: 130,
  prompt_tokens_details: { cached_tokens: 60 },
  completion_tokens_details: { reasoning_tokens: 16 },
};
const base = { id: "chatcmpl-1", created: 1, model: "upstream-model" };
const chunk = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
  ...base,
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }],
});

/** A response with its stream: the deltas, the finish reason, and the usage in the last chunk. */
function respond(message: JsonObject, finish: string, deltas: JsonObject[]): ResponseCase {
  return {
    body: {
      ...base,
      object: "chat.completion",
      choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }],
      usage,
    },
    events: [
      chunk({ role: "assistant", content: "" }),
      ...deltas.map((delta) => chunk(delta)),
      chunk({}, finish),
      { ...chunk({}), choices: [], usage },
      "[DONE]",
    ],
  };
}

const started = (index: number, id: string, text: string) => ({
  tool_calls: [{ index, ...call(id, text) }],
});
const continued = (index: number, text: string) => ({
  tool_calls: [{ index, function: { arguments: text } }],
});

export const responses: ResponseCases = {
  text: respond({ content: "Hello, world" }, "stop", [
    { content: "Hello" },
    { content: ", world" },
  ]),
  "max-tokens": respond({ content: "Hello" }, "length", [{ content: "Hello" }]),
  "content-filter": respond({ content: "Hel" }, "content_filter", [{ content: "Hel" }]),
  refusal: respond({ content: null, refusal: "I cannot help." }, "stop", [
    { refusal: "I cannot" },
    { refusal: " help." },
  ]),
  reasoning: respond({ content: "Sunny.", reasoning_content: "One city." }, "stop", [
    { reasoning_content: "One " },
    { reasoning_content: "city." },
    { content: "Sunny." },
  ]),
  "parallel-tool-calls": respond(
    {
      content: "I look it up.",
      tool_calls: [call("call_1", '{"city":"Paris"}'), call("call_2", '{"city":"Rome"}')],
    },
    "tool_calls",
    [
      { content: "I look it up." },
      started(0, "call_1", ""),
      continued(0, '{"city":'),
      continued(0, '"Paris"}'),
      started(1, "call_2", '{"city":"Rome"}'),
    ],
  ),
  "tool-call-without-arguments": respond(
    { content: null, tool_calls: [call("call_1", "")] },
    "stop",
    [started(0, "call_1", "")],
  ),
  "tool-call-with-invalid-json": respond(
    { content: null, tool_calls: [call("call_1", '{"city":')] },
    "tool_calls",
    [started(0, "call_1", '{"city":')],
  ),
  "unknown-content": respond({ content: [{ type: "hologram" }] }, "stop", [
    { content: [{ type: "hologram" }] },
  ]),
  "no-choices": { body: { ...base, choices: [] } },
  "stream-that-ends-inside-a-tool-call": {
    events: [chunk({ role: "assistant" }), chunk(started(0, "call_1", '{"ci'))],
  },
  "interleaved-tool-calls": respond(
    {
      tool_calls: [
        call("call_1", '{"city":"Paris"}'),
        call("call_2", '{"city":"Rome"}'),
        call("call_3", ""),
        call("call_4", '{"city":"}"}'),
      ],
    },
    "tool_calls",
    [
      started(0, "call_1", ""),
      started(1, "call_2", '{"city":'),
      { tool_calls: [...continued(0, '{"city":').tool_calls, ...continued(1, '"Ro').tool_calls] },
      started(2, "call_3", ""),
      continued(0, '"Paris"}'),
      continued(1, 'me"}'),
      started(3, "call_4", '{"city":"}"'),
      continued(0, "\n"),
      continued(3, "}"),
    ],
  ),
  "tool-calls-with-the-same-index": respond(
    { tool_calls: [call("call_1", '{"city":"Paris"}'), call("call_2", '{"city":"Rome"}')] },
    "tool_calls",
    [started(0, "call_1", '{"city":"Paris"}'), started(0, "call_2", '{"city":"Rome"}')],
  ),
  // LiteLLM does this in front of OCI.
  "tool-calls-with-another-id-in-each-delta": respond(
    { tool_calls: [call("call_1", '{"city":"Paris"}'), call("call_3", '{"city":"Rome"}')] },
    "tool_calls",
    [
      started(0, "call_1", ""),
      { tool_calls: [{ index: 0, id: "call_2", function: { arguments: '{"city":"Paris"}' } }] },
      started(1, "call_3", '{"city":'),
      { tool_calls: [{ index: 1, id: "call_4", function: { arguments: '"Rome"}' } }] },
    ],
  ),
  "stream-with-text-after-complete-arguments": {
    events: [
      chunk(started(0, "call_1", "{}")),
      chunk(started(1, "call_2", "{}")),
      chunk(continued(0, '{"city":')),
    ],
  },
  "stream-with-an-error": {
    events: [
      chunk({ content: "Hel" }),
      { error: { message: "The server is overloaded.", type: "server_error", code: 503 } },
    ],
  },
  "error-400": {
    status: 400,
    body: {
      error: {
        message: "The input is too long.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
  },
  "error-401": { status: 401, body: { error: { message: "Incorrect API key." } } },
  "error-429": { status: 429, body: { error: { message: "Slow down.", code: "rate_limited" } } },
  "error-500": { status: 500, body: "Internal Server Error" },
};
