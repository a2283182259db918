/** The messages wire of the demo upstream: content blocks, and the events that build them. */
import { expect, test } from "bun:test";
import { startDemo } from "./start-demo.ts";

const tools = [
  {
    name: "find_user",
    input_schema: {
      type: "object",
      properties: { email: { type: "string", format: "email" }, active: { type: "boolean" } },
      required: ["email", "active"],
    },
  },
];
const say = (content: unknown) => ({
  model: "any",
  max_tokens: 1000,
  messages: [{ role: "user", content }],
});

test("a message returns a text block", async () => {
  await using demo = startDemo();

  const body = { ...say("Hello"), system: [{ type: "text", text: "Be kind" }] };
  const reply = await (await demo.post("messages", body)).json();

  expect(reply).toMatchObject({ type: "message", role: "assistant", model: "any" });
  expect(reply).toMatchObject({ stop_reason: "end_turn", stop_sequence: null });
  expect(reply.content).toHaveLength(1);
  expect(reply.content[0].text).toStartWith("You said: Hello\n");
  expect(reply.content[0].text).toContain("system message of 7 characters");
  expect(reply.usage.input_tokens).toBe(4);
});

test("max_tokens and stop_sequences end the reply with the right stop reason", async () => {
  await using demo = startDemo();

  const short = await (await demo.post("messages", { ...say("Hello"), max_tokens: 3 })).json();
  const body = { ...say("one two"), stop_sequences: ["two"] };
  const stopped = await (await demo.post("messages", body)).json();

  expect(short).toMatchObject({ stop_reason: "max_tokens", usage: { output_tokens: 3 } });
  expect(stopped).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: "two" });
  expect(stopped.content[0].text).toBe("You said: one ");
});

test("a tool named in the message is called, and its result is returned as text", async () => {
  await using demo = startDemo();
  const result = [
    { type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "Ann" }] },
  ];

  const toolUse = await (await demo.post("messages", { ...say("Run find_user"), tools })).json();
  const final = await (await demo.post("messages", { ...say(result), tools })).json();

  expect(toolUse.stop_reason).toBe("tool_use");
  expect(toolUse.content[0]).toMatchObject({
    type: "tool_use",
    name: "find_user",
    input: { email: "demo@example.com", active: true },
  });
  expect(final.content[0].text).toStartWith("The tool returned: Ann\n");
});

test.each([
  [{ type: "none" }, "find_user", "end_turn"],
  [{ type: "any" }, "Hello", "tool_use"],
  [{ type: "tool", name: "find_user" }, "Hello", "tool_use"],
])("tool_choice %j on %p ends with %s", async (tool_choice, text, stop_reason) => {
  await using demo = startDemo();

  const reply = await demo.post("messages", { ...say(text), tools, tool_choice });

  expect((await reply.json()).stop_reason).toBe(stop_reason);
});

test("a stream opens the message, fills its block word by word and closes both", async () => {
  await using demo = startDemo();

  const events = await demo.events("messages", { ...say("Hi"), stream: true });

  const deltas = events.filter(({ type }) => type === "content_block_delta");
  expect(events.map(({ type }) => type).filter((type) => type !== "content_block_delta")).toEqual([
    "message_start",
    "content_block_start",
    "ping",
    "content_block_stop",
    "message_delta",
    "message_stop",
  ]);
  expect(events[0].message).toMatchObject({ content: [], stop_reason: null });
  expect(deltas.map(({ delta }) => delta.text).join("")).toStartWith("You said: Hi\n");
  expect(events.at(-2)).toMatchObject({ delta: { stop_reason: "end_turn" } });
  expect(events.at(-2).usage.output_tokens).toBeGreaterThan(1);
});

test("a streamed tool use gives its input as pieces of JSON", async () => {
  await using demo = startDemo();

  const events = await demo.events("messages", { ...say("find_user"), tools, stream: true });

  const deltas = events.filter(({ type }) => type === "content_block_delta");
  const start = events.find(({ type }) => type === "content_block_start");
  expect(start.content_block).toMatchObject({ type: "tool_use", name: "find_user", input: {} });
  expect(JSON.parse(deltas.map(({ delta }) => delta.partial_json).join(""))).toEqual({
    email: "demo@example.com",
    active: true,
  });
});

test.each([
  [{ max_tokens: 5 }, "messages"],
  [{ messages: [{ role: "user", content: "a" }] }, "max_tokens"],
])("%j is a 400 in Anthropic's error shape that names %s", async (body, name) => {
  await using demo = startDemo();

  const response = await demo.post("messages", body);

  expect(response.status).toBe(400);
  expect(await response.json()).toEqual({
    type: "error",
    error: { type: "invalid_request_error", message: `Missing required parameter: '${name}'.` },
  });
});
