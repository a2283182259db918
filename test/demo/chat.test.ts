/** Chat completions of the demo upstream, whole and streamed, as a reference client sees them. */
import { expect, test } from "bun:test";
import { NOW, type StreamEvent, startDemo } from "./start-demo.ts";

const weather = {
  type: "function",
  function: {
    name: "get_weather",
    parameters: {
      type: "object",
      properties: { city: { type: "string" }, days: { type: "integer" }, note: { type: "string" } },
      required: ["city", "days"],
    },
  },
};
const say = (content: unknown) => ({ model: "any", messages: [{ role: "user", content }] });

test("it repeats what was said and calls itself the demo model", async () => {
  await using demo = startDemo();

  const reply = await (await demo.post("chat/completions", say("Hello you"))).json();

  const [{ message, ...choice }] = reply.choices;
  expect(reply).toMatchObject({ object: "chat.completion", model: "any" });
  expect(reply.created).toBe(NOW.getTime() / 1000);
  expect(reply.id).toStartWith("chatcmpl-");
  expect(choice).toEqual({ index: 0, logprobs: null, finish_reason: "stop" });
  expect(message.role).toBe("assistant");
  expect(message.content).toStartWith("You said: Hello you\n");
  expect(message.content).toContain("demo model");
});

test("usage counts a token for four characters", async () => {
  await using demo = startDemo();

  const { usage, choices } = await (await demo.post("chat/completions", say("12345678"))).json();

  const expected = Math.ceil(choices[0].message.content.length / 4);
  expect(usage.prompt_tokens).toBe(2);
  expect(usage.completion_tokens).toBe(expected);
  expect(usage.total_tokens).toBe(2 + expected);
});

test("content parts are read, and pictures and sounds counted", async () => {
  await using demo = startDemo();
  const image = { type: "image_url", image_url: { url: "data:image/png;base64,AA" } };
  const sound = { type: "input_audio", input_audio: { data: "AA", format: "wav" } };

  const body = say([{ type: "text", text: "Look" }, image, image, sound]);
  const { choices } = await (await demo.post("chat/completions", body)).json();

  expect(choices[0].message.content).toContain("You said: Look\n");
  expect(choices[0].message.content).toContain("Attached: 2 images and 1 audio clip.");
});

test("n gives that many choices", async () => {
  await using demo = startDemo();

  const { choices } = await (await demo.post("chat/completions", { ...say("Hi"), n: 3 })).json();

  expect(choices.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2]);
});

test.each(["max_tokens", "max_completion_tokens"])("%s truncates the reply", async (limit) => {
  await using demo = startDemo();

  const body = { ...say("Hello"), [limit]: 3 };
  const { choices, usage } = await (await demo.post("chat/completions", body)).json();

  expect(choices[0].finish_reason).toBe("length");
  expect(choices[0].message.content).toBe("You said: He");
  expect(usage.completion_tokens).toBe(3);
});

test("truncation never splits a character", async () => {
  await using demo = startDemo();

  const body = { ...say("a😀😀"), max_tokens: 3 };
  const { choices } = await (await demo.post("chat/completions", body)).json();

  expect(choices[0].message.content).toBe("You said: a");
});

test("stop ends the reply before the first stop sequence", async () => {
  await using demo = startDemo();

  const body = { ...say("one two three"), stop: ["three", "two"] };
  const { choices } = await (await demo.post("chat/completions", body)).json();

  expect(choices[0]).toMatchObject({ finish_reason: "stop" });
  expect(choices[0].message.content).toBe("You said: one ");
});

test("a tool named in the message is called with arguments that fit its schema", async () => {
  await using demo = startDemo();

  const body = { ...say('Use get_weather for "Paris" and 3 days'), tools: [weather] };
  const { choices } = await (await demo.post("chat/completions", body)).json();

  const [{ message, finish_reason }] = choices;
  const [call] = message.tool_calls;
  expect(finish_reason).toBe("tool_calls");
  expect(message.content).toBeNull();
  expect(call).toMatchObject({ type: "function", function: { name: "get_weather" } });
  expect(JSON.parse(call.function.arguments)).toEqual({ city: "Paris", days: 3 });
});

test("a tool without a schema is called with an empty object", async () => {
  await using demo = startDemo();
  const tools = [{ type: "function", function: { name: "ping" } }];

  const { choices } = await (await demo.post("chat/completions", { ...say("ping"), tools })).json();

  expect(choices[0].message.tool_calls[0].function).toEqual({ name: "ping", arguments: "{}" });
});

test("after a tool result the model replies with text, so that an agent loop ends", async () => {
  await using demo = startDemo();
  const requested = { role: "user", content: "Use get_weather" };
  const called = { role: "assistant", content: null, tool_calls: [] };
  const result = { role: "tool", tool_call_id: "call_1", content: "sunny" };

  const body = { messages: [requested, called, result], tools: [weather] };
  const { choices } = await (await demo.post("chat/completions", body)).json();

  expect(choices[0].finish_reason).toBe("stop");
  expect(choices[0].message.content).toStartWith("The tool returned: sunny\n");
});

test.each([
  ["none", "Use get_weather", 0],
  ["auto", "Use get_weather_v2", 0],
  ["required", "Hello", 1],
  [{ type: "function", function: { name: "get_weather" } }, "Hello", 1],
])("tool_choice %j on %p makes calls: %i × get_weather", async (tool_choice, text, calls) => {
  await using demo = startDemo();

  const body = { ...say(text), tools: [weather], tool_choice };
  const { choices } = await (await demo.post("chat/completions", body)).json();

  expect(choices[0].message.tool_calls ?? []).toHaveLength(calls);
});

test("json_object gives a JSON object and json_schema one of that shape", async () => {
  await using demo = startDemo();
  const schema = {
    type: "object",
    properties: { mood: { enum: ["glad", "sad"] } },
    required: ["mood"],
  };
  const ask = async (response_format: unknown) => {
    const reply = await demo.post("chat/completions", { ...say("I am sad"), response_format });
    return JSON.parse((await reply.json()).choices[0].message.content);
  };

  const free = await ask({ type: "json_object" });
  const shaped = await ask({ type: "json_schema", json_schema: { name: "m", schema } });

  expect(free).toEqual({ demo: true, you_said: "I am sad" });
  expect(shaped).toEqual({ mood: "sad" });
});

test("a stream carries role, words, end, usage and [DONE] in that order", async () => {
  await using demo = startDemo();

  const body = { ...say("Hello you"), stream: true, stream_options: { include_usage: true } };
  const events = await demo.events("chat/completions", body);
  const { choices } = await (await demo.post("chat/completions", say("Hello you"))).json();

  const words: StreamEvent[] = events.slice(1, -3);
  expect(events[0].choices[0].delta).toEqual({ role: "assistant", content: "", refusal: null });
  expect(words.map(({ choices }) => choices[0].delta.content).slice(0, 3)).toEqual([
    "You",
    " said:",
    " Hello",
  ]);
  expect(words.map(({ choices }) => choices[0].delta.content).join("")).toBe(
    choices[0].message.content,
  );
  expect(words.map(({ usage }) => usage)).toEqual(words.map(() => null));
  expect(events.at(-3).choices[0]).toMatchObject({ delta: {}, finish_reason: "stop" });
  expect(events.at(-2)).toMatchObject({ choices: [], usage: { prompt_tokens: 3 } });
  expect(events.at(-1)).toBe("[DONE]");
});

test("a stream without include_usage has no usage member", async () => {
  await using demo = startDemo();

  const events = await demo.events("chat/completions", { ...say("Hi"), stream: true });

  expect(events.filter((event) => typeof event === "object" && "usage" in event)).toEqual([]);
});

test("a stream is incremental: the first word arrives long before the last", async () => {
  await using demo = startDemo();
  const start = performance.now();

  const reply = await demo.post("chat/completions", { ...say("a ".repeat(200)), stream: true });
  const reader = reply.body?.getReader();
  await reader?.read();
  const first = performance.now() - start;
  await reader?.cancel();

  expect(reply.headers.get("content-type")).toStartWith("text/event-stream");
  expect(first).toBeLessThan(900); // two hundred words take at least a second
});

test("a streamed tool call gives its name first and then its arguments in pieces", async () => {
  await using demo = startDemo();

  const body = { ...say('get_weather "New York"'), tools: [weather], stream: true };
  const events = await demo.events("chat/completions", body);

  const calls = events.flatMap((event) => event.choices?.[0].delta.tool_calls ?? []);
  expect(calls[0]).toMatchObject({ index: 0, type: "function", function: { arguments: "" } });
  expect(calls.length).toBeGreaterThan(2);
  expect(JSON.parse(calls.map((call) => call.function.arguments).join(""))).toEqual({
    city: "New York",
    days: 1,
  });
  expect(events.at(-2).choices[0].finish_reason).toBe("tool_calls");
});

test("a reply is bounded regardless of the message length", async () => {
  await using demo = startDemo();

  const body = say("x".repeat(1_000_000));
  const { choices, usage } = await (await demo.post("chat/completions", body)).json();

  expect(usage.prompt_tokens).toBe(250_000);
  expect(choices[0].message.content.length).toBeLessThan(5000);
});
