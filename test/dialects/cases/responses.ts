/** Requests and responses of the OpenAI responses API. */
import type { JsonObject } from "../../../src/lib/json/json-object.ts";
import type { RequestCases, ResponseCase, ResponseCases } from "./dialect-cases.ts";

const ask = (more: JsonObject): JsonObject => ({ model: "client-model", input: "Hello", ...more });
const part = (content: JsonObject): JsonObject =>
  ask({ input: [{ role: "user", content: [{ type: "input_text", text: "Look:" }, content] }] });

const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const weather = {
  type: "function",
  name: "get_weather",
  description: "Returns the weather",
  parameters: schema,
  strict: true,
};
const patch = {
  type: "custom",
  name: "apply_patch",
  description: "Edits files.",
  format: { type: "grammar", syntax: "lark", definition: 'start: "*** Begin Patch"' },
};
const agents = {
  type: "namespace",
  name: "agents",
  description: "Manages agents.",
  tools: [{ type: "function", name: "spawn", parameters: { type: "object" }, strict: false }],
};
const call = (call_id: string, args: string) => ({
  type: "function_call",
  call_id,
  name: "get_weather",
  arguments: args,
});
const result = (call_id: string, output: unknown) => ({
  type: "function_call_output",
  call_id,
  output,
});
const turns = (...items: JsonObject[]): JsonObject =>
  ask({ input: [{ role: "user", content: "Weather?" }, ...items], tools: [weather] });
const sign = (dialect: string, value: string): string =>
  Buffer.from(`portcullis:sig:${dialect}:${value}`).toString("base64");

export const requests: RequestCases = {
  "system-prompts": ask({
    instructions: "Be brief.",
    input: [
      { type: "message", role: "developer", content: [{ type: "input_text", text: "Be kind." }] },
      { role: "user", content: "Hello" },
      { role: "assistant", content: [{ type: "output_text", text: "Hi", annotations: [] }] },
      { role: "system", content: "Now in French." },
      { role: "user", content: "Hello again" },
    ],
  }),
  sampling: ask({
    max_output_tokens: 100,
    temperature: 0.5,
    top_p: 0.9,
    user: "user-1",
    stream: true,
  }),
  tools: ask({ tools: [weather], tool_choice: "auto", parallel_tool_calls: false }),
  "tool-choice-function": ask({
    tools: [weather],
    tool_choice: { type: "function", name: "get_weather" },
  }),
  "tool-choice-allowed": ask({
    tools: [weather, patch],
    tool_choice: {
      type: "allowed_tools",
      mode: "required",
      tools: [{ type: "custom", name: "apply_patch" }],
    },
  }),
  "tool-choice-none": ask({ tools: [weather], tool_choice: "none" }),
  "tools-of-codex": ask({
    tools: [weather, patch, agents, { type: "web_search", external_web_access: false }],
    reasoning: { summary: "auto" },
    include: ["reasoning.encrypted_content"],
    client_metadata: { turn_id: "1" },
    prompt_cache_key: "1",
    store: false,
  }),
  "calls-of-codex": ask({
    tools: [patch, agents],
    input: [
      { role: "user", content: "Edit a.txt" },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: sign("messages", "c2ln") },
      { type: "custom_tool_call", call_id: "call_1", name: "apply_patch", input: '*** "a"' },
      {
        type: "function_call",
        call_id: "call_2",
        name: "spawn",
        namespace: "agents",
        arguments: "",
      },
      { type: "custom_tool_call_output", call_id: "call_1", output: "Done." },
      result("call_2", "started"),
    ],
  }),
  "additional-tools": ask({
    input: [
      { type: "additional_tools", id: "at_1", role: "developer", tools: [agents] },
      { role: "user", content: "Hello" },
    ],
  }),
  "tool-search": ask({
    tools: [{ type: "tool_search", execution: "client", description: "Finds tools." }],
    input: [
      { role: "user", content: "Weather?" },
      {
        type: "tool_search_call",
        call_id: "call_1",
        execution: "client",
        status: "completed",
        arguments: { query: "weather" },
      },
      { type: "tool_search_output", call_id: "call_1", execution: "client", tools: [weather] },
      call("call_2", '{"city":"Paris"}'),
      result("call_2", "sunny"),
    ],
  }),
  "tool-search-at-the-upstream": ask({ tools: [{ type: "tool_search" }] }),
  "parallel-tool-calls": turns(
    { role: "assistant", content: "I look it up." },
    call("call_1", '{"city":"Paris"}'),
    call("call_2", '{"city":"Rome"}'),
    result("call_1", "sunny"),
    result("call_2", [
      { type: "input_text", text: "rain" },
      { type: "input_image", image_url: "data:image/png;base64,iVBORw0K", detail: "auto" },
    ]),
  ),
  "tool-call-with-invalid-json": turns(call("call_1", '{"city":'), result("call_1", "sunny")),
  "image-data": part({
    type: "input_image",
    image_url: "data:image/png;base64,iVBORw0K",
    detail: "low",
  }),
  "image-url": part({ type: "input_image", image_url: "https://example.com/a.png" }),
  pdf: part({
    type: "input_file",
    filename: "a.pdf",
    file_data: "data:application/pdf;base64,JVBERi0=",
  }),
  "pdf-url": part({ type: "input_file", file_url: "https://example.com/a.pdf" }),
  "file-id": part({ type: "input_file", file_id: "file-1" }),
  audio: part({ type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } }),
  "unknown-part": part({ type: "hologram" }),
  "unknown-item": ask({ input: [{ type: "computer_call", id: "1" }] }),
  "unknown-member": ask({ surprise: true }),
  "unknown-tool": ask({ tools: [{ type: "code_interpreter", container: "auto" }] }),
  refusal: turns(
    { role: "assistant", content: [{ type: "refusal", refusal: "I cannot help." }] },
    { role: "user", content: "Why?" },
  ),
  "own-reasoning": turns(
    {
      type: "reasoning",
      id: "rs_1",
      summary: [{ type: "summary_text", text: "One city." }],
      encrypted_content: "gAAA",
    },
    call("call_1", '{"city":"Paris"}'),
    result("call_1", "sunny"),
  ),
  "reasoning-effort": ask({ reasoning: { effort: "high", summary: "auto" } }),
  "reasoning-none": ask({ reasoning: { effort: "none" } }),
  "json-object": ask({ text: { format: { type: "json_object" } } }),
  "json-schema": ask({
    text: {
      verbosity: "low",
      format: { type: "json_schema", name: "city", schema, strict: true },
    },
  }),
  "item-reference": ask({ input: [{ type: "item_reference", id: "rs_1" }] }),
  "stored-state": ask({ previous_response_id: "resp_1" }),
  background: ask({ background: true }),
};

const usage = {
  input_tokens: 90,
  input_tokens_details: { cached_tokens: 60 },
  output_tokens: 40,
  output_tokens_details: { reasoning_tokens: 16 },
  total_tokens: 130,
};
const base = { id: "resp_1", object: "response", created_at: 1, model: "upstream-model" };
const event = (type: string, members: JsonObject): JsonObject => ({
  type: `response.${type}`,
  ...members,
});
const started = event("created", { response: { ...base, status: "in_progress", output: [] } });

/** A response with its stream: the items, and the events of each. */
function respond(items: [JsonObject, JsonObject[]][], more: JsonObject = {}): ResponseCase {
  const response = {
    ...base,
    status: "completed",
    output: items.map(([item]) => item),
    usage,
    ...more,
  };
  return {
    body: response,
    events: [
      started,
      ...items.flatMap(([item, events], output_index) => [
        event("output_item.added", { output_index, item: { ...item, ...emptied(item) } }),
        ...events.map((each) => ({ ...each, output_index })),
        event("output_item.done", { output_index, item }),
      ]),
      event(response.status as string, { response }),
    ],
  };
}

const emptied = ({ type }: JsonObject): JsonObject =>
  ({
    message: { content: [] },
    function_call: { arguments: "" },
    reasoning: { summary: [], encrypted_content: "" },
  })[String(type)] ?? {};

function message(content: JsonObject, deltas: JsonObject[]): [JsonObject, JsonObject[]] {
  return [
    { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [content] },
    [
      event("content_part.added", {
        content_index: 0,
        part: { ...content, ...(content.type === "refusal" ? { refusal: "" } : { text: "" }) },
      }),
      ...deltas,
      event("content_part.done", { content_index: 0, part: content }),
    ],
  ];
}

const text = (...pieces: string[]) =>
  message(
    { type: "output_text", text: pieces.join(""), annotations: [] },
    pieces.map((delta) => event("output_text.delta", { content_index: 0, delta })),
  );
const functionCall = (call_id: string, ...pieces: string[]): [JsonObject, JsonObject[]] => [
  { id: `fc_${call_id}`, ...call(call_id, pieces.join("")), status: "completed" },
  pieces.map((delta) => event("function_call_arguments.delta", { delta })),
];
const reasoning: [JsonObject, JsonObject[]] = [
  {
    id: "rs_1",
    type: "reasoning",
    summary: ["One city.", "Look it up."].map((each) => ({ type: "summary_text", text: each })),
    encrypted_content: "gAAA",
  },
  [
    event("reasoning_summary_part.added", { summary_index: 0 }),
    event("reasoning_summary_text.delta", { summary_index: 0, delta: "One city." }),
    event("reasoning_summary_part.added", { summary_index: 1 }),
    event("reasoning_summary_text.delta", { summary_index: 1, delta: "Look it up." }),
  ],
];
const failure = { code: "server_error", message: "The model failed." };

export const responses: ResponseCases = {
  text: respond([text("Hello", ", world")]),
  "max-tokens": respond([text("Hel")], {
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
  }),
  "content-filter": respond([text("Hel")], {
    status: "incomplete",
    incomplete_details: { reason: "content_filter" },
  }),
  refusal: respond([
    message({ type: "refusal", refusal: "I cannot help." }, [
      event("refusal.delta", { content_index: 0, delta: "I cannot" }),
      event("refusal.delta", { content_index: 0, delta: " help." }),
    ]),
  ]),
  "reasoning-and-parallel-tool-calls": respond([
    reasoning,
    text("I look it up."),
    functionCall("call_1", '{"city":', '"Paris"}'),
    functionCall("call_2", '{"city":"Rome"}'),
  ]),
  "tool-call-without-arguments": respond([functionCall("call_1")]),
  "tool-call-with-invalid-json": respond([functionCall("call_1", '{"city":')]),
  "unknown-item": respond([[{ type: "web_search_call", id: "ws_1" }, []]]),
  "stream-that-ends-inside-a-tool-call": {
    events: [
      started,
      event("output_item.added", { output_index: 0, item: call("call_1", "") }),
      event("function_call_arguments.delta", { output_index: 0, delta: '{"ci' }),
    ],
  },
  "stream-out-of-order": {
    events: [
      started,
      event("output_item.added", { output_index: 0, item: call("call_1", "") }),
      event("output_item.added", { output_index: 1, item: call("call_2", "") }),
    ],
  },
  failed: {
    body: { ...base, status: "failed", error: failure, output: [] },
    events: [started, event("failed", { response: { ...base, status: "failed", error: failure } })],
  },
  "stream-with-an-error": {
    events: [started, { type: "error", code: "rate_limit_exceeded", message: "Slow down." }],
  },
  "error-400": {
    status: 400,
    body: {
      error: {
        message: "Too long.",
        type: "invalid_request_error",
        code: "context_length_exceeded",
      },
    },
  },
  "error-500": { status: 500, body: "Internal Server Error" },
};
