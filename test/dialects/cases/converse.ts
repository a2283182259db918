/** Responses of the Converse API of Bedrock. */
import type { JsonObject } from "../../../src/lib/json/json-object.ts";
import type { ResponseCase, ResponseCases } from "./dialect-cases.ts";

const usage = {
  inputTokens: 20,
  outputTokens: 40,
  totalTokens: 130,
  cacheReadInputTokens: 60,
  cacheWriteInputTokens: 10,
};
const started = { messageStart: { role: "assistant" } };

/** A response with its stream: the blocks, and the deltas of each. */
function respond(blocks: [JsonObject, JsonObject[]][], stopReason: string): ResponseCase {
  return {
    body: {
      output: { message: { role: "assistant", content: blocks.map(([block]) => block) } },
      stopReason,
      usage,
    },
    events: [
      started,
      ...blocks.flatMap(([block, deltas], contentBlockIndex) => [
        ...startBlock(block, contentBlockIndex),
        ...deltas.map((delta) => ({ contentBlockDelta: { contentBlockIndex, delta } })),
        { contentBlockStop: { contentBlockIndex } },
      ]),
      { messageStop: { stopReason } },
      { metadata: { usage } },
    ],
  };
}

function startBlock({ toolUse }: JsonObject, contentBlockIndex: number): JsonObject[] {
  if (!toolUse) return [];
  const { toolUseId, name } = toolUse as JsonObject;
  return [{ contentBlockStart: { contentBlockIndex, start: { toolUse: { toolUseId, name } } } }];
}

const text = (...pieces: string[]): [JsonObject, JsonObject[]] => [
  { text: pieces.join("") },
  pieces.map((piece) => ({ text: piece })),
];
const call = (toolUseId: string, ...pieces: string[]): [JsonObject, JsonObject[]] => [
  { toolUse: { toolUseId, name: "get_weather", input: JSON.parse(pieces.join("") || "{}") } },
  pieces.map((input) => ({ toolUse: { input } })),
];
const reasoning: [JsonObject, JsonObject[]] = [
  { reasoningContent: { reasoningText: { text: "One city.", signature: "c2ln" } } },
  [
    { reasoningContent: { text: "One " } },
    { reasoningContent: { text: "city." } },
    { reasoningContent: { signature: "c2ln" } },
  ],
];
const redacted: [JsonObject, JsonObject[]] = [
  { reasoningContent: { redactedContent: "AAEC" } },
  [{ reasoningContent: { redactedContent: "AAEC" } }],
];

export const responses: ResponseCases = {
  text: respond([text("Hello", ", world")], "end_turn"),
  "max-tokens": respond([text("Hel")], "max_tokens"),
  "stop-sequence": respond([text("Hel")], "stop_sequence"),
  "content-filter": respond([text("Hel")], "content_filtered"),
  guardrail: respond([text("Sorry.")], "guardrail_intervened"),
  "context-window": respond([text("Hel")], "model_context_window_exceeded"),
  "malformed-tool-use": respond([text("Hel")], "malformed_tool_use"),
  "reasoning-and-parallel-tool-calls": respond(
    [
      reasoning,
      redacted,
      text("I look it up."),
      call("tooluse_1", '{"city":', '"Paris"}'),
      call("tooluse_2", '{"city":"Rome"}'),
    ],
    "tool_use",
  ),
  "tool-call-without-arguments": respond([call("tooluse_1")], "tool_use"),
  "unknown-content": respond([[{ image: { format: "png" } }, [{ image: {} }]]], "end_turn"),
  "stream-that-ends-inside-a-tool-call": {
    events: [
      started,
      ...startBlock({ toolUse: { toolUseId: "tooluse_1", name: "get_weather" } }, 0),
      { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: '{"ci' } } } },
    ],
  },
  "stream-out-of-order": {
    events: [started, { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: {} } } }],
  },
  "stream-with-an-exception": {
    events: [
      started,
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: "Hel" } } },
      { throttlingException: { message: "Too many requests." } },
    ],
  },
  "error-400": { status: 400, body: { message: "The model is unknown." } },
  "error-403": { status: 403, body: { Message: "Access denied." } },
  "error-500": { status: 500, body: "Internal Server Error" },
};
