import { expect, test } from "bun:test";
import { expectLinear } from "../../../test/kit/expect-linear.ts";
import type { JsonObject } from "../../lib/json/json-object.ts";
import type { PayloadContext } from "./payload.ts";
import { readPayload } from "./read-payload.ts";

const ARGUMENTS = { amount: 5.5, on: true, deep: { list: [1, false] } };
const JSON_TEXT = JSON.stringify(ARGUMENTS);
const message = (part: object) => ({ messages: [{ role: "assistant", ...part }] });
const read = (payload: JsonObject, about: Partial<PayloadContext> = {}) =>
  readPayload(payload, { direction: "input", protocol: "llm", attributes: {}, ...about });

test.each<[string, JsonObject, PayloadContext["protocol"]?]>([
  ["chat", message({ tool_calls: [{ function: { name: "pay", arguments: JSON_TEXT } }] })],
  ["chat, with one call", message({ function_call: { name: "pay", arguments: JSON_TEXT } })],
  ["responses", { input: [{ type: "function_call", name: "pay", arguments: JSON_TEXT }] }],
  ["a tool of the provider", { input: [{ type: "computer_call", action: ARGUMENTS }] }],
  ["anthropic", message({ content: [{ type: "tool_use", name: "pay", input: ARGUMENTS }] })],
  ["google", { contents: [{ role: "model", parts: [{ functionCall: { args: ARGUMENTS } }] }] }],
  ["bedrock", message({ content: [{ toolUse: { name: "pay", input: ARGUMENTS } }] })],
  ["cohere", message({ tool_calls: [{ name: "pay", parameters: ARGUMENTS }] })],
  ["cohere of old", { chat_history: [{ tool_calls: [{ name: "pay", parameters: ARGUMENTS }] }] }],
  ["MCP", { jsonrpc: "2.0", method: "tools/call", params: { name: "pay", arguments: ARGUMENTS } }],
  ["MCP without envelope", { name: "pay", arguments: ARGUMENTS }, "mcp"],
  ["A2A", { params: { message: { parts: [{ kind: "data", data: ARGUMENTS }] } }, method: "send" }],
  ["a hook", { hook_event_name: "PreToolUse", tool_name: "pay", tool_input: ARGUMENTS }, "all"],
  ["an input that is JSON", { input: JSON_TEXT }, "all"],
])(
  "%s: every number and boolean of a call is shown to the approver",
  (_, payload, protocol = "llm") => {
    const { values } = read(payload, { protocol });

    expect(values.map(({ text }) => text)).toEqual(["5.5", "true", "1", "false"]);
  },
);

const block = { type: "search_result", source: "wiki", title: "a b", content: [{ text: "c d" }] };
test.each<[string, JsonObject, [string, string][]]>([
  [
    "reasoning and compaction: the model",
    {
      input: [
        { type: "reasoning", summary: [{ text: "a b" }], content: [{ text: "c d" }] },
        { type: "compaction", summary: [{ text: "e f" }] },
        { type: "message", role: "user", content: "g h" },
      ],
    },
    [
      ["a b", "assistant"],
      ["c d", "assistant"],
      ["e f", "assistant"],
      ["g h", "user"],
    ],
  ],
  [
    "errors of an MCP server: a tool result",
    { input: ["mcp_list_tools", "mcp_call"].map((type) => ({ type, error: "a b" })) },
    [
      ["a b", "tool_result"],
      ["a b", "tool_result"],
    ],
  ],
  [
    "a search result beside the words of a user: a tool result",
    { messages: [{ role: "user", content: [block, { type: "text", text: "e f" }] }] },
    [
      ["wiki", "tool_result"],
      ["a b", "tool_result"],
      ["c d", "tool_result"],
      ["e f", "user"],
    ],
  ],
])("the source of %s", (_, payload, sources) => {
  const { segments } = read(payload);

  expect(segments.map(({ text, source }) => [text, source])).toEqual(sources);
});

test("ids in the arguments of a call are shown, but not the id of the message", () => {
  const parameters = { account_id: 8 };
  const params = { name: "pay", arguments: {}, parameters };
  const { values } = read({ jsonrpc: "2.0", id: 1, method: "tools/call", params });

  expect(values).toMatchObject([{ text: "{}" }, { text: "8" }]);
});

test("the latest numbers and booleans of calls are kept, none of definitions and results", () => {
  const call = (input: object) => message({ content: [{ type: "tool_use", input }] }).messages;
  const before = call({ rows: Array.from({ length: 2000 }, (_, row) => row) });
  const result = { role: "tool", content: [{ type: "tool_result", response: { done: true } }] };
  const tools = [{ name: "pay", parameters: { additionalProperties: false, minItems: 1 } }];

  const { values } = read({ messages: [...before, result, ...call({ amount: 5 })], tools });

  expect(values.map(({ text }) => text).slice(-2)).toEqual(["1999", "5"]);
  expect(values.length).toBeLessThan(1000);
});

test("many files in deep objects are read in linear time", async () => {
  const file = '{"bytes":"JVBERi0xLjQKJVBERi0x"}';

  await expectLinear(
    (text) => read(JSON.parse(text)),
    (length) => {
      const [depth, count] = [length / 400, length / 10];
      return `${'{"a":'.repeat(depth)}[${Array(count).fill(file)}]${"}".repeat(depth)}`;
    },
  );
});
