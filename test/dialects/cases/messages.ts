/** Requests and responses of Anthropic messages. */
import type { JsonObject } from "../../../src/lib/json/json-object.ts";
import type { RequestCases, ResponseCase, ResponseCases } from "./dialect-cases.ts";

const ask = (more: JsonObject, content: unknown = "Hello"): JsonObject => ({
  model: "client-model",
  max_tokens: 1000,
  messages: [{ role: "user", content }],
  ...more,
});
const block = (content: JsonObject): JsonObject =>
  ask({}, [{ type: "text", text: "Look:" }, content]);

const ephemeral = { type: "ephemeral" };
const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
};
const weather = { name: "get_weather", description: "Returns the weather", input_schema: schema };
const use = (id: string, input: JsonObject) => ({
  type: "tool_use",
  id,
  name: "get_weather",
  input,
});
const png = { type: "base64", media_type: "image/png", data: "iVBORw0K" };

const turns = (assistant: unknown, ...rest: JsonObject[]): JsonObject => ({
  model: "client-model",
  max_tokens: 1000,
  messages: [
    { role: "user", content: "Weather?" },
    { role: "assistant", content: assistant },
    ...rest,
  ],
  tools: [weather],
});

export const requests: RequestCases = {
  "system-prompts": ask({ system: "Be brief." }),
  "system-as-list": ask({
    system: [
      { type: "text", text: "Be brief." },
      { type: "text", text: "Be kind.", cache_control: { ...ephemeral, ttl: "1h" } },
    ],
  }),
  "system-message": ask({
    messages: [
      { role: "user", content: "Hello" },
      { role: "system", content: "Now in French." },
      { role: "user", content: "Hello again" },
    ],
  }),
  sampling: ask({
    temperature: 0.5,
    top_p: 0.9,
    top_k: 40,
    stop_sequences: ["END"],
    metadata: { user_id: "user-1" },
    stream: true,
  }),
  "long-user-id": ask({ metadata: { user_id: "u".repeat(150) } }),
  tools: ask({
    tools: [{ ...weather, strict: true, cache_control: ephemeral }],
    tool_choice: { type: "auto", disable_parallel_tool_use: true },
  }),
  "tool-choice-any": ask({ tools: [weather], tool_choice: { type: "any" } }),
  "tool-choice-none": ask({ tools: [weather], tool_choice: { type: "none" } }),
  "tool-choice-tool": ask({ tools: [weather], tool_choice: { type: "tool", name: "get_weather" } }),
  "provider-tool": ask({ tools: [weather, { type: "web_search_20250305", name: "web_search" }] }),
  "parallel-tool-calls": turns(
    [
      { type: "text", text: "I look it up." },
      use("toolu_1", { city: "Paris" }),
      use("toolu_2", { city: "Rome" }),
    ],
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1", content: "sunny" },
        { type: "tool_result", tool_use_id: "toolu_2", content: [{ type: "text", text: "rain" }] },
        { type: "text", text: "Thanks", cache_control: ephemeral },
      ],
    },
  ),
  "tool-result-with-image": turns([use("toolu_1", {})], {
    role: "user",
    content: [
      {
        type: "tool_result",
        tool_use_id: "toolu_1",
        content: [
          { type: "text", text: "A photo:" },
          { type: "image", source: png },
        ],
      },
    ],
  }),
  "tool-result-with-error": turns([use("toolu_1", {})], {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "toolu_1", is_error: true, content: "No city." }],
  }),
  "tool-result-that-is-empty": turns([use("toolu_1", {})], {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "toolu_1" }],
  }),
  "image-data": block({ type: "image", source: png }),
  "image-url": block({ type: "image", source: { type: "url", url: "https://example.com/a.png" } }),
  "image-file": block({ type: "image", source: { type: "file", file_id: "file_1" } }),
  pdf: block({
    type: "document",
    title: "a.pdf",
    source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
  }),
  "pdf-url": block({
    type: "document",
    source: { type: "url", url: "https://example.com/a.pdf" },
  }),
  "text-document": block({
    type: "document",
    source: { type: "text", media_type: "text/plain", data: "Once upon a time" },
  }),
  "unknown-block": block({ type: "hologram" }),
  "cache-control": ask({ cache_control: ephemeral }),
  "thinking-adaptive": ask({ thinking: { type: "adaptive" }, output_config: { effort: "high" } }),
  "thinking-effort-max": ask({ output_config: { effort: "max" } }),
  "thinking-budget": ask({
    max_tokens: 9000,
    thinking: { type: "enabled", budget_tokens: 4000 },
  }),
  "thinking-disabled": ask({ thinking: { type: "disabled" } }),
  "thinking-with-signatures": turns(
    [
      { type: "thinking", thinking: "One city.", signature: "c2ln" },
      { type: "redacted_thinking", data: "cmVk" },
      use("toolu_1", { city: "Paris" }),
    ],
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "sunny" }],
    },
  ),
  "thinking-of-chat": turns(
    [
      {
        type: "thinking",
        thinking: "One city.",
        signature: Buffer.from("portcullis:sig:chat:reasoning_content").toString("base64"),
      },
      use("call_1", { city: "Paris" }),
    ],
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "call_1", content: "sunny" }],
    },
  ),
  "structured-output": ask({
    output_config: { format: { type: "json_schema", schema } },
  }),
  "claude-code": {
    model: "client-model",
    max_tokens: 32_000,
    stream: true,
    system: [
      { type: "text", text: "You are Claude Code.", cache_control: ephemeral },
      { type: "text", text: "Environment.", cache_control: { ...ephemeral, scope: "global" } },
    ],
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "<system-reminder>Context.</system-reminder>" },
          { type: "text", text: "Read a.txt", cache_control: ephemeral },
        ],
      },
    ],
    tools: [{ ...weather, eager_input_streaming: true, defer_loading: false }],
    metadata: { user_id: '{"device_id":"d","session_id":"s"}' },
    thinking: { type: "adaptive" },
    context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
    output_config: { effort: "medium" },
  },
  dropped: ask({ service_tier: "auto", inference_geo: "eu", speed: "fast" }),
  "unknown-member": ask({ surprise: true }),
};

const usage = {
  input_tokens: 20,
  cache_read_input_tokens: 60,
  cache_creation_input_tokens: 10,
  output_tokens: 40,
  output_tokens_details: { thinking_tokens: 16 },
};
const base = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "upstream-model",
  stop_sequence: null,
};

const start = {
  type: "message_start",
  message: { ...base, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
};
const streamed = (index: number, content_block: JsonObject, ...deltas: JsonObject[]) => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
const text = (index: number, ...deltas: string[]) =>
  streamed(
    index,
    { type: "text", text: "" },
    ...deltas.map((delta) => ({ type: "text_delta", text: delta })),
  );
const tool = (index: number, id: string, ...deltas: string[]) =>
  streamed(
    index,
    use(id, {}),
    ...deltas.map((partial_json) => ({ type: "input_json_delta", partial_json })),
  );

/** A response with its stream. */
function respond(
  content: JsonObject[],
  blocks: JsonObject[],
  stop: JsonObject = { stop_reason: "end_turn" },
): ResponseCase {
  const delta = { stop_sequence: null, ...stop };
  return {
    body: { ...base, content, ...delta, usage },
    events: [
      start,
      { type: "ping" },
      ...blocks,
      { type: "message_delta", delta, usage: { output_tokens: 40 } },
      { type: "message_stop" },
    ],
  };
}

const hello = [{ type: "text", text: "Hello, world" }];
const said = text(0, "Hello", ", world");

export const responses: ResponseCases = {
  text: respond(hello, said),
  "stop-sequence": respond(hello, said, { stop_reason: "stop_sequence", stop_sequence: "END" }),
  "max-tokens": respond(hello, said, { stop_reason: "max_tokens" }),
  "context-window": respond(hello, said, { stop_reason: "model_context_window_exceeded" }),
  refusal: respond(hello, said, { stop_reason: "refusal" }),
  pause: respond(hello, said, { stop_reason: "pause_turn" }),
  "parallel-tool-calls": respond(
    [
      { type: "text", text: "I look it up." },
      use("toolu_1", { city: "Paris" }),
      use("toolu_2", { city: "Rome" }),
    ],
    [
      ...text(0, "I look it up."),
      ...tool(1, "toolu_1", "", '{"city":', '"Paris"}'),
      ...tool(2, "toolu_2", '{"city":"Rome"}'),
    ],
    { stop_reason: "tool_use" },
  ),
  "tool-call-without-arguments": respond([use("toolu_1", {})], tool(0, "toolu_1", ""), {
    stop_reason: "tool_use",
  }),
  thinking: respond(
    [
      { type: "thinking", thinking: "One city.", signature: "c2ln" },
      { type: "redacted_thinking", data: "cmVk" },
      { type: "text", text: "Sunny." },
    ],
    [
      ...streamed(
        0,
        { type: "thinking", thinking: "", signature: "" },
        { type: "thinking_delta", thinking: "One " },
        { type: "thinking_delta", thinking: "city." },
        { type: "signature_delta", signature: "c2ln" },
      ),
      ...streamed(1, { type: "redacted_thinking", data: "cmVk" }),
      ...text(2, "Sunny."),
    ],
  ),
  "unknown-content": respond([{ type: "hologram" }], streamed(0, { type: "hologram" })),
  "stream-that-ends-inside-a-tool-call": {
    events: [start, ...tool(0, "toolu_1", '{"ci').slice(0, 2)],
  },
  "stream-with-invalid-arguments": {
    events: [
      start,
      ...tool(0, "toolu_1", '{"ci'),
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 3 } },
      { type: "message_stop" },
    ],
  },
  "stream-cut-off-inside-a-tool-call": {
    events: [
      start,
      ...tool(0, "toolu_1", '{"ci'),
      { type: "message_delta", delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 3 } },
      { type: "message_stop" },
    ],
  },
  "stream-out-of-order": {
    events: [
      start,
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "a" } },
    ],
  },
  "stream-with-an-error": {
    events: [
      start,
      ...text(0, "Hel").slice(0, 2),
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    ],
  },
  "error-400": {
    status: 400,
    body: {
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long" },
    },
  },
  "error-401": {
    status: 401,
    body: { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } },
  },
  "error-529": {
    status: 529,
    body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  },
  "error-500": { status: 500, body: "<html>Internal Server Error</html>" },
};
