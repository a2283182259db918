import { expect, test } from "bun:test";
import type { JsonObject, PayloadContext } from "./payload.ts";
import { readPayload } from "./read-payload.ts";

const GIVEN = { amount: 5.5, on: true, deep: { list: [1, false] } };
const JSON_TEXT = JSON.stringify(GIVEN);
const message = (part: object) => ({ messages: [{ role: "assistant", ...part }] });
const read = (payload: JsonObject, about: Partial<PayloadContext> = {}) =>
  readPayload(payload, { direction: "input", protocol: "llm", attributes: {}, ...about });

test.each<[string, JsonObject, PayloadContext["protocol"]?]>([
  ["chat", message({ tool_calls: [{ function: { name: "pay", arguments: JSON_TEXT } }] })],
  ["chat, with one call", message({ function_call: { name: "pay", arguments: JSON_TEXT } })],
  ["responses", { input: [{ type: "function_call", name: "pay", arguments: JSON_TEXT }] }],
  ["a tool of the provider", { input: [{ type: "computer_call", action: GIVEN }] }],
  ["anthropic", message({ content: [{ type: "tool_use", name: "pay", input: GIVEN }] })],
  ["google", { contents: [{ role: "model", parts: [{ functionCall: { args: GIVEN } }] }] }],
  ["bedrock", message({ content: [{ toolUse: { name: "pay", input: GIVEN } }] })],
  ["cohere", message({ tool_calls: [{ name: "pay", parameters: GIVEN }] })],
  ["cohere of old", { chat_history: [{ tool_calls: [{ name: "pay", parameters: GIVEN }] }] }],
  ["MCP", { jsonrpc: "2.0", method: "tools/call", params: { name: "pay", arguments: GIVEN } }],
  ["MCP without envelope", { name: "pay", arguments: GIVEN }, "mcp"],
  ["A2A", { params: { message: { parts: [{ kind: "data", data: GIVEN }] } }, method: "send" }],
  ["a hook", { hook_event_name: "PreToolUse", tool_name: "pay", tool_input: GIVEN }, "all"],
  ["an input that is JSON", { input: JSON_TEXT }, "all"],
])("%s: who decides sees every number and switch of a call", (_, payload, protocol = "llm") => {
  const { values } = read(payload, { protocol });

  expect(values.map(({ text }) => text)).toEqual(["5.5", "true", "1", "false"]);
});

test("ids of a call are seen too, and that of the message is none", () => {
  const parameters = { account_id: 8 };
  const params = { name: "pay", arguments: {}, parameters };
  const { values } = read({ jsonrpc: "2.0", id: 1, method: "tools/call", params });

  expect(values).toMatchObject([{ text: "8" }]);
});

test("of numbers and switches the latest stay, and none of what is offered or came back", () => {
  const call = (input: object) => message({ content: [{ type: "tool_use", input }] }).messages;
  const before = call({ rows: Array.from({ length: 2000 }, (_, row) => row) });
  const result = { role: "tool", content: [{ type: "tool_result", response: { done: true } }] };
  const tools = [{ name: "pay", parameters: { additionalProperties: false, minItems: 1 } }];

  const { values } = read({ messages: [...before, result, ...call({ amount: 5 })], tools });

  expect(values.map(({ text }) => text).slice(-2)).toEqual(["1999", "5"]);
  expect(values.length).toBeLessThan(1000);
});
