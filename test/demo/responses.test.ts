/** The responses wire of the demo upstream: output items, and the events that build them. */
import { expect, test } from "bun:test";
import { NOW, startDemo } from "./start-demo.ts";

const tool = {
  type: "function",
  name: "add",
  parameters: {
    type: "object",
    properties: { a: { type: "number" }, b: { type: "number" } },
    required: ["a", "b"],
  },
};

test("a text input returns one message item", async () => {
  await using demo = startDemo();

  const reply = await (await demo.post("responses", { model: "any", input: "Hello" })).json();

  expect(reply).toMatchObject({ object: "response", status: "completed", model: "any" });
  expect(reply.created_at).toBe(NOW.getTime() / 1000);
  expect(reply.output[0]).toMatchObject({ type: "message", role: "assistant" });
  expect(reply.output[0].content[0].type).toBe("output_text");
  expect(reply.output[0].content[0].text).toStartWith("You said: Hello\n");
  expect(reply.usage.total_tokens).toBe(reply.usage.input_tokens + reply.usage.output_tokens);
});

test("instructions, content parts and a tool's output are read", async () => {
  await using demo = startDemo();
  const parts = [
    { type: "input_text", text: "Look" },
    { type: "input_image", image_url: "data:," },
  ];
  const ask = async (input: unknown) => {
    const reply = await demo.post("responses", { input, instructions: "Be brief" });
    return (await reply.json()).output[0].content[0].text;
  };

  const seen = await ask([{ role: "user", content: parts }]);
  const used = await ask([
    { role: "user", content: "add" },
    { type: "function_call", call_id: "c", name: "add", arguments: "{}" },
    { type: "function_call_output", call_id: "c", output: "5" },
  ]);

  expect(seen).toContain("You said: Look");
  expect(seen).toContain("system message of 8 characters");
  expect(seen).toContain("1 image.");
  expect(used).toStartWith("The tool returned: 5\n");
});

test("a tool named in the input becomes a function_call item", async () => {
  await using demo = startDemo();

  const body = { input: "Please add 2 and 3.5", tools: [tool] };
  const { output } = await (await demo.post("responses", body)).json();

  expect(output).toHaveLength(1);
  expect(output[0]).toMatchObject({ type: "function_call", name: "add", status: "completed" });
  expect(JSON.parse(output[0].arguments)).toEqual({ a: 2, b: 3.5 });
});

test("max_output_tokens leaves the response incomplete, streamed or not", async () => {
  await using demo = startDemo();
  const body = { input: "Hello", max_output_tokens: 3 };

  const whole = await (await demo.post("responses", body)).json();
  const events = await demo.events("responses", { ...body, stream: true });

  expect(whole.status).toBe("incomplete");
  expect(whole.incomplete_details).toEqual({ reason: "max_output_tokens" });
  expect(events.at(-1).type).toBe("response.incomplete");
});

test("text.format gives JSON", async () => {
  await using demo = startDemo();
  const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };

  const body = { input: "7 dwarfs", text: { format: { type: "json_schema", name: "x", schema } } };
  const { output } = await (await demo.post("responses", body)).json();

  expect(JSON.parse(output[0].content[0].text)).toEqual({ n: 7 });
});

test("text.format text and a tool without parameters are fine too", async () => {
  await using demo = startDemo();
  const text = { format: { type: "text" } };
  const tools = [{ type: "function", name: "ping" }, { type: "web_search" }];

  const said = await (await demo.post("responses", { input: "Hi", text, tools })).json();
  const called = await (await demo.post("responses", { input: "ping", text, tools })).json();

  expect(said.output[0].content[0].text).toStartWith("You said: Hi\n");
  expect(said).toMatchObject({ text, tools, store: false });
  expect(called.output[0]).toMatchObject({ name: "ping", arguments: "{}" });
});

test("a stream numbers its events and ends with the whole response", async () => {
  await using demo = startDemo();

  const events = await demo.events("responses", { input: "Hi", stream: true });

  const types = events.map(({ type }) => type);
  const deltas = events.filter(({ type }) => type === "response.output_text.delta");
  const { response } = events.at(-1);
  expect(types.slice(0, 5)).toEqual([
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
  ]);
  expect(types.slice(-4)).toEqual([
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
  ]);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()]);
  expect(events[0].response).toMatchObject({ status: "in_progress", output: [], usage: null });
  expect(deltas.map(({ delta }) => delta).join("")).toBe(response.output[0].content[0].text);
});

test("a streamed function call gives its arguments in pieces", async () => {
  await using demo = startDemo();

  const events = await demo.events("responses", { input: "add", tools: [tool], stream: true });

  const deltas = events.filter(({ type }) => type === "response.function_call_arguments.delta");
  const done = events.find(({ type }) => type === "response.function_call_arguments.done");
  expect(done.arguments).toBe(deltas.map(({ delta }) => delta).join(""));
  expect(events.at(-1).response.output[0].arguments).toBe(done.arguments);
});

test("events carry their type as the event name too", async () => {
  await using demo = startDemo();

  const text = await (await demo.post("responses", { input: "Hi", stream: true })).text();

  expect(text).toStartWith('event: response.created\ndata: {"type":"response.created"');
});
