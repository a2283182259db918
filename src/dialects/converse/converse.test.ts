import { expect, test } from "bun:test";
import { EventStreamCodec } from "@smithy/eventstream-codec";
import type { AppError } from "../../contract/errors.ts";
import type { JsonObject } from "../../lib/json/json-object.ts";
import type { NeutralEvent, NeutralRequest, Part } from "../neutral.ts";
import { converse } from "./converse.ts";
import { createConverseSplitter } from "./split-messages.ts";

const CLAUDE = "us.anthropic.claude-sonnet-4-6";

function write(request: Partial<NeutralRequest>, model = CLAUDE): JsonObject {
  return converse.writeRequest(
    { messages: [user({ type: "text", text: "Hi" })], tools: [], stream: false, ...request },
    {
      model: undefined,
      upstream_model: model,
      reject(member, reason) {
        throw new Error(`${member}: ${reason}`);
      },
    },
  );
}

const user = (...parts: Part[]) => ({ role: "user" as const, parts, at: "messages[0]" });
const assistant = (...parts: Part[]) => ({
  role: "assistant" as const,
  parts,
  at: "messages[1]",
});

test("the path names the model and the kind of response", () => {
  expect(converse.path({ model: "amazon.nova-pro-v1:0", stream: false })).toBe(
    "/model/amazon.nova-pro-v1%3A0/converse",
  );
  const arn = "arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude";
  expect(converse.path({ model: arn, stream: true })).toBe(
    "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.anthropic.claude/converse-stream",
  );
});

test("a conversation with tools, media and cache points is written", () => {
  const cache = { ttl: "1h" } as const;
  const pdf = { data: "JVBERi0=", media_type: "application/pdf" };
  const written = write({
    messages: [
      { role: "system", parts: [{ type: "text", text: "Be short.", cache: {} }], at: "system" },
      user(
        { type: "text", text: "Read" },
        { type: "image", source: { data: "iVBO", media_type: "image/png" } },
        { type: "document", source: pdf, name: "q3_report.final.pdf" },
        { type: "document", source: pdf, name: "q3 report final.pdf", cache },
        { type: "audio", source: { data: "UklG", media_type: "audio/wav" } },
      ),
      assistant(
        { type: "thinking", text: "Hm", signature: { dialect: "converse", value: "s1" } },
        { type: "thinking", text: "", signature: { dialect: "converse", value: "redacted:AA==" } },
        { type: "thinking", text: "other", signature: { dialect: "messages", value: "s2" } },
        { type: "text", text: "" },
        { type: "tool_call", id: "functions.read:0", name: "read", arguments: '{"a":1}' },
        { type: "tool_call", id: "c2", name: "list", arguments: "" },
      ),
      user({
        type: "tool_result",
        call_id: "functions.read:0",
        parts: [{ type: "text", text: "no file" }],
        is_error: true,
      }),
      user({ type: "tool_result", call_id: "c2", parts: [] }, { type: "text", text: "Continue" }),
    ],
    tools: [{ name: "read", description: "", schema: { type: "object" }, cache: {} }],
    tool_choice: { type: "required" },
    max_tokens: 100,
    temperature: 0.5,
    top_p: 0.9,
    top_k: 5,
    stop: ["END"],
    output_format: { type: "json_schema", schema: { type: "object" } },
  });

  expect(written).toEqual({
    system: [{ text: "Be short." }, { cachePoint: { type: "default" } }],
    messages: [
      {
        role: "user",
        content: [
          { text: "Read" },
          { image: { format: "png", source: { bytes: "iVBO" } } },
          { document: { format: "pdf", name: "q3 report final", source: { bytes: "JVBERi0=" } } },
          { document: { format: "pdf", name: "q3 report final 2", source: { bytes: "JVBERi0=" } } },
          { cachePoint: { type: "default", ttl: "1h" } },
          { audio: { format: "wav", source: { bytes: "UklG" } } },
        ],
      },
      {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "Hm", signature: "s1" } } },
          { reasoningContent: { redactedContent: "AA==" } },
          { toolUse: { toolUseId: "functions_read_0", name: "read", input: { a: 1 } } },
          { toolUse: { toolUseId: "c2", name: "list", input: {} } },
        ],
      },
      {
        role: "user",
        content: [
          {
            toolResult: {
              toolUseId: "functions_read_0",
              content: [{ text: "no file" }],
              status: "error",
            },
          },
          { toolResult: { toolUseId: "c2", content: [] } },
          { text: "Continue" },
        ],
      },
    ],
    inferenceConfig: { maxTokens: 100, temperature: 0.5, topP: 0.9, stopSequences: ["END"] },
    toolConfig: {
      tools: [
        { toolSpec: { name: "read", inputSchema: { json: { type: "object" } } } },
        { cachePoint: { type: "default" } },
      ],
      toolChoice: { any: {} },
    },
    outputConfig: {
      textFormat: {
        type: "json_schema",
        structure: { jsonSchema: { name: "response", schema: '{"type":"object"}' } },
      },
    },
    additionalModelRequestFields: { top_k: 5 },
  });
});

test("reasoning is written with the parameters of the model", () => {
  const fields = (model: string, reasoning: NeutralRequest["reasoning"]) =>
    write({ ...(reasoning && { reasoning }) }, model).additionalModelRequestFields;

  expect(fields(CLAUDE, { effort: "high" })).toEqual({
    thinking: { type: "adaptive" },
    output_config: { effort: "high" },
  });
  expect(fields("anthropic.claude-3-7-sonnet-20250219-v1:0", { budget_tokens: 2000 })).toEqual({
    thinking: { type: "enabled", budget_tokens: 2000 },
  });
  expect(fields("us.amazon.nova-2-lite-v1:0", { effort: "xhigh" })).toEqual({
    reasoningConfig: { type: "enabled", maxReasoningEffort: "high" },
  });
  expect(fields("openai.gpt-oss-120b-1:0", { effort: "minimal" })).toEqual({
    reasoning_effort: "low",
  });
  expect(fields("meta.llama4-maverick-17b-instruct-v1:0", { effort: "high" })).toBeUndefined();
});

test("models without prompt caching get no cache points", () => {
  const messages = [user({ type: "text", text: "Hi", cache: {} })];
  expect(write({ messages }, "meta.llama4-maverick-17b-instruct-v1:0").messages).toEqual([
    { role: "user", content: [{ text: "Hi" }] },
  ]);
});

test("what the API cannot express is rejected with its location", () => {
  const parts: [Part, string][] = [
    [{ type: "image", source: { url: "https://a.test/b.png" } }, "not as a URL"],
    [{ type: "image", source: { data: "", media_type: "image/tiff" } }, "image/png"],
    [{ type: "document", source: { data: "", media_type: "application/zip" } }, "application/pdf"],
    [{ type: "tool_call", id: "1", name: "x", arguments: "{" }, "must be a JSON object"],
  ];
  for (const [part, reason] of parts) {
    let error: AppError | undefined;
    try {
      write({ messages: [user(part)] });
    } catch (thrown) {
      error = thrown as AppError;
    }
    expect(error).toMatchObject({
      code: "invalid_request",
      details: { param: "messages[0]" },
      message: expect.stringContaining(reason),
    });
  }
  expect(() => write({ presence_penalty: 1 })).toThrow("presence_penalty");
  expect(() => write({ output_format: { type: "json" } })).toThrow("output_format");
});

test("without a choice of tools, tools are left out unless the conversation has calls", () => {
  const tools = [{ name: "read", schema: {} }];
  expect(write({ tools, tool_choice: { type: "none" } }).toolConfig).toBeUndefined();
  const call = { type: "tool_call", id: "1", name: "read", arguments: "" } as const;
  expect(() =>
    write({ tools, tool_choice: { type: "none" }, messages: [assistant(call)] }),
  ).toThrow("tool_choice");
});

test("a response is read with reasoning, tool calls and cached tokens", () => {
  const content = [
    { reasoningContent: { reasoningText: { text: "Hm", signature: "s1" } } },
    { reasoningContent: { redactedContent: "AA==" } },
    { text: "Hi" },
    { citationsContent: { content: [{ text: "a" }, { text: "b" }], citations: [{}] } },
    { toolUse: { toolUseId: "t1", name: "read", input: { a: 1 } } },
  ];
  const usage = {
    inputTokens: 1,
    outputTokens: 2,
    cacheReadInputTokens: 10,
    cacheWriteInputTokens: 100,
  };
  const body = { output: { message: { role: "assistant", content } }, usage };

  expect(converse.readResponse({ ...body, stopReason: "tool_use" })).toEqual({
    parts: [
      { type: "thinking", text: "Hm", signature: { dialect: "converse", value: "s1" } },
      { type: "thinking", text: "", signature: { dialect: "converse", value: "redacted:AA==" } },
      { type: "text", text: "Hi" },
      { type: "text", text: "ab" },
      { type: "tool_call", id: "t1", name: "read", arguments: '{"a":1}' },
    ],
    stop_reason: "tool_calls",
    usage: { input_tokens: 111, cached_tokens: 10, cache_write_tokens: 100, output_tokens: 2 },
  });
  expect(() => converse.readResponse({ ...body, stopReason: "malformed_tool_use" })).toThrow(
    "stop reason malformed_tool_use",
  );
  const image = { output: { message: { content: [{ image: {} }] } }, stopReason: "end_turn" };
  expect(() => converse.readResponse(image)).toThrow("unsupported type image");
});

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes).toString(),
  (text) => Buffer.from(text),
);
const encode = (name: string, payload: JsonObject, type = "event") =>
  codec.encode({
    headers: {
      [`:${type}-type`]: { type: "string", value: name },
      ":content-type": { type: "string", value: "application/json" },
      ":message-type": { type: "string", value: type },
    },
    body: Buffer.from(JSON.stringify({ ...payload, p: "abcdef" })),
  });

const delta = (index: number, value: JsonObject) =>
  encode("contentBlockDelta", { contentBlockIndex: index, delta: value });
const stop = (index: number) => encode("contentBlockStop", { contentBlockIndex: index });
const toolStart = (index: number) =>
  encode("contentBlockStart", {
    contentBlockIndex: index,
    start: { toolUse: { toolUseId: "t1", name: "read" } },
  });
const START = encode("messageStart", { role: "assistant" });
const STOP = encode("messageStop", { stopReason: "tool_use" });

function readStream(chunks: Uint8Array[]): NeutralEvent[] {
  const splitter = createConverseSplitter();
  const reader = converse.createStreamReader();
  const events = chunks.flatMap((chunk) => splitter.push(chunk));
  const read = [...events, ...splitter.end()].flatMap(({ name, data }) => reader.read(name, data));
  return [...read, ...reader.end()];
}

test("a stream is read the same at every boundary of chunks", () => {
  const stream = Buffer.concat([
    START,
    delta(0, { reasoningContent: { text: "Hm" } }),
    delta(0, { reasoningContent: { signature: "s1" } }),
    stop(0),
    delta(1, { text: "Hä" }),
    delta(1, { text: "llo" }),
    stop(1),
    toolStart(2),
    delta(2, { toolUse: { input: '{"a"' } }),
    delta(2, { toolUse: { input: ":1}" } }),
    stop(2),
    STOP,
    encode("metadata", { usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 } }),
  ]);
  const expected: NeutralEvent[] = [
    { type: "start" },
    { type: "part_start", part: { type: "thinking", text: "" } },
    { type: "delta", text: "Hm" },
    { type: "signature", signature: { dialect: "converse", value: "s1" } },
    { type: "part_end" },
    { type: "part_start", part: { type: "text", text: "" } },
    { type: "delta", text: "Hä" },
    { type: "delta", text: "llo" },
    { type: "part_end" },
    { type: "part_start", part: { type: "tool_call", id: "t1", name: "read", arguments: "" } },
    { type: "delta", text: '{"a"' },
    { type: "delta", text: ":1}" },
    { type: "part_end" },
    { type: "end", stop_reason: "tool_calls", usage: { input_tokens: 3, output_tokens: 4 } },
  ];
  expect(readStream([stream])).toEqual(expected);
  for (let at = 1; at < stream.length; at += 7) {
    expect(readStream([stream.subarray(0, at), stream.subarray(at)])).toEqual(expected);
  }
});

test("an exception inside of a stream is an error with its status", () => {
  const exception = encode("throttlingException", { message: "Too many" }, "exception");
  expect(readStream([START, exception]).at(-1)).toEqual({
    type: "error",
    error: { status: 429, message: "Too many", code: "throttlingException" },
  });
});

test("an incomplete stream and events out of order are errors", () => {
  const broken = [
    [],
    [START],
    [START, toolStart(0), STOP],
    [START, toolStart(0), delta(0, { toolUse: { input: "{" } })],
    [START, toolStart(0), toolStart(1)],
    [START, toolStart(0), delta(1, { text: "x" })],
    [START, delta(0, { toolUse: { input: "{" } })],
    [START, delta(0, { text: "x" }), stop(1)],
    [START, delta(0, { image: {} })],
    [START, START.subarray(0, 20)],
    [Buffer.from("data: not binary at all\n\n")],
  ];
  for (const chunks of broken) expect(() => readStream(chunks)).toThrow("The upstream's response");
});

test("an error response keeps its status, message and code", () => {
  const body = { __type: "com.amazon#ValidationException", message: "The model is unknown." };
  expect(converse.readError(400, body)).toEqual({
    status: 400,
    message: "The model is unknown.",
    code: "ValidationException",
  });
});
