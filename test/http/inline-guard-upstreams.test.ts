/** A hostile upstream cannot hide a tool call from the rules for tools: in members that clients read, or by order of events. */
import { expect, test } from "bun:test";
import { makeDetector } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { sharedKit } from "../kit/kit.ts";
import { measureLongestTurn } from "../kit/measure-longest-turn.ts";
import { until } from "../kit/until.ts";
import type { UpstreamResponse } from "../kit/upstream.ts";

const kit = sharedKit();

const PROVIDERS: Record<string, string> = {
  "/v1/messages": "anthropic",
  "/v1beta/models/m:streamGenerateContent": "google",
};

/** Sends a request whose response may not call `pay`. */
async function send(path: string, script: UpstreamResponse, stream = false) {
  const { id } = await makeDetector(await kit(), "tool_permission", { denied_tools: ["pay"] });
  await using it = await makeGuardedConsumer(
    await kit(),
    { output_rules: [{ detector_id: id, action: "block" }] },
    { attach: { provider: PROVIDERS[path] ?? "openai" }, script },
  );
  if (path.includes("/items/")) return await (await it.get(path)).text();
  const contents = [{ role: "user", parts: [{ text: "Hi" }] }];
  const body = { model: "m", max_tokens: 9, messages: [], input: "Hi", stream };
  return await (await it.post(path, path.startsWith("/v1beta/") ? { contents } : body)).text();
}

const input = { card: 1 };
const used = { type: "tool_use", id: "t", name: "pay", input };
const called = { type: "function_call", id: "f", call_id: "c", name: "pay", arguments: "{}" };
const toolCall = (name: string, args = "{}") => ({
  tool_calls: [{ index: 0, id: "c", function: { name, arguments: args } }],
});

test.each<[string, string, object]>([
  ["a message without a role", "/v1/messages", { content: [used] }],
  ["a message whose role is null", "/v1/messages", { role: null, content: [used] }],
  ["a message with the member jsonrpc", "/v1/messages", { jsonrpc: "2.0", content: [used] }],
  [
    "an object in place of a list",
    "/v1/chat/completions",
    { choices: { 0: { message: toolCall("pay") } } },
  ],
  [
    "a list with one chunk",
    "/v1beta/models/m:streamGenerateContent",
    [{ candidates: [{ content: { parts: [{ functionCall: { name: "pay", args: input } }] } }] }],
  ],
  ["an item of a conversation", "/v1/conversations/c/items/i", called],
])("a denied call in %s is blocked", async (_, path, body) => {
  expect(await send(path, { body })).toContain("guard_blocked");
});

const { name, type, ...rest } = called;
const { tool_calls } = toolCall("pay");

test.each<[string, object]>([
  ["/v1/chat/completions", { Choices: [{ message: toolCall("pay") }] }],
  ["/v1/chat/completions", { choices: [{ Message: toolCall("pay") }] }],
  ["/v1/chat/completions", { choices: [{ message: { Tool_Calls: tool_calls } }] }],
  [
    "/v1/chat/completions",
    { choices: [{ message: { tool_calls: [{ Function: { name: "pay" } }] } }] },
  ],
  [
    "/v1/chat/completions",
    { choices: [{ message: { tool_calls: [{ function: { name: "ok", NAME: "pay" } }] } }] },
  ],
  ["/v1/messages", { role: "assistant", Content: [used] }],
  ["/v1/messages", { content: [{ ...used, type: "x", Type: "tool_use" }] }],
  ["/v1/responses", { Output: [called] }],
  ["/v1/responses", { output: [{ ...rest, name, Type: type }] }],
])("a call in %s that only clients which ignore case read is not sent: %j", async (path, body) => {
  expect(await send(path, { body })).toContain("in another spelling");
});

const chunk = (delta: object) => ({ choices: [{ index: 0, delta }] });
const finish = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
const start = { type: "message_start", message: { role: "assistant", content: [] } };
const block = (content_block: object) => ({
  type: "content_block_start",
  index: 0,
  content_block,
});
const stop = { type: "content_block_stop", index: 0 };
const end = [
  { type: "message_delta", delta: { stop_reason: "tool_use" } },
  { type: "message_stop" },
];
const created = { type: "response.created", response: {} };
const item = (type: string, value: object, output_index = 0) => ({
  type: `response.output_item.${type}`,
  output_index,
  item: value,
});
const argumentsDone = (name: string) => ({
  type: "response.function_call_arguments.done",
  output_index: 0,
  name,
  arguments: "{}",
});
const completed = (...output: object[]) => ({ type: "response.completed", response: { output } });
const text = { type: "message", content: [] };

test.each<[string, string, object[]]>([
  [
    "another name later",
    "/v1/chat/completions",
    [chunk(toolCall("pay")), chunk(toolCall("ok")), finish],
  ],
  [
    "its name in two parts",
    "/v1/chat/completions",
    [chunk(toolCall("pa", "")), chunk(toolCall("y")), finish],
  ],
  [
    "no list of calls later",
    "/v1/chat/completions",
    [chunk(toolCall("pay")), chunk({ tool_calls: {} }), finish],
  ],
  [
    "no object in place of its function later",
    "/v1/chat/completions",
    [chunk(toolCall("pay", "")), chunk({ tool_calls: [{ index: 0, function: "x" }] }), finish],
  ],
  [
    "a list in place of its function later",
    "/v1/chat/completions",
    [chunk(toolCall("pay", "")), chunk({ tool_calls: [{ index: 0, function: [{}] }] }), finish],
  ],
  [
    "a message beside the delta",
    "/v1/chat/completions",
    [{ choices: [{ message: toolCall("pay") }] }, finish],
  ],
  ["a second start", "/v1/messages", [start, block(used), start, stop, ...end]],
  [
    "a second block of the same index",
    "/v1/messages",
    [start, block(used), block({ type: "text" }), stop, ...end],
  ],
  [
    "another block that ends before it",
    "/v1/messages",
    [start, block(used), { ...block({ type: "text" }), index: 1 }, { ...stop, index: 1 }, stop],
  ],
  [
    "a block in the start",
    "/v1/messages",
    [{ type: "message_start", message: { content: [used] } }, ...end],
  ],
  [
    "other content at the end",
    "/v1/messages",
    [
      start,
      block(used),
      { ...end[0], delta: { content: [], stop_reason: "end_turn" } },
      { type: "message_stop" },
    ],
  ],
  [
    "another item later",
    "/v1/responses",
    [created, item("added", called), item("done", text), completed()],
  ],
  ["another item at the end", "/v1/responses", [created, item("added", called), completed(text)]],
  [
    "the name of another call beside its arguments",
    "/v1/responses",
    [created, item("added", { ...called, name: "ok" }), argumentsDone("pay"), completed()],
  ],
  [
    "arguments of an item that never starts",
    "/v1/responses",
    [created, argumentsDone("pay"), completed()],
  ],
  [
    "fewer items at the end",
    "/v1/responses",
    [created, item("added", text), item("added", text, 1), completed(called)],
  ],
  [
    "a type that is not the one of its event",
    "/v1/responses",
    [created, { ...item("done", called), type: "response.x" }, completed()],
  ],
  [
    "another type of a block",
    "/v1/messages",
    [start, { ...block(used), type: "ping" }, stop, ...end],
  ],
  [
    "a respelled list",
    "/v1/chat/completions",
    [chunk({ Tool_Calls: toolCall("pay").tool_calls }), finish],
  ],
  [
    "a respelled item",
    "/v1/responses",
    [created, { ...item("done", {}), Item: called }, completed()],
  ],
  [
    "a respelled block",
    "/v1/messages",
    [start, { ...block({ type: "text" }), Content_Block: used }, stop, ...end],
  ],
  [
    "a message beside the delta of another call",
    "/v1/chat/completions",
    [{ choices: [{ delta: toolCall("ok"), message: toolCall("pay") }] }, finish],
  ],
  [
    "the message of a choice beside the call of another one",
    "/v1/chat/completions",
    [{ choices: [{ delta: toolCall("ok") }, { message: toolCall("pay") }] }, finish],
  ],
  [
    "an item in the start",
    "/v1/responses",
    [{ ...created, response: { output: [called] } }, completed()],
  ],
])("a denied call in a stream with %s is not sent", async (_, path, events) => {
  const chunks = [
    ...events.map((event) => `data: ${JSON.stringify(event)}\n\n`),
    "data: [DONE]\n\n",
  ];
  const headers = { "content-type": "text/event-stream" };

  const sent = await send(path, { headers, chunks }, true);

  expect(sent).not.toMatch(/"(?:pay?|y)"/);
});

const FEW = `{"amount":1}`;
const MANY = `{"amount":1000}`;
const order = (args: string) => ({ ...called, name: "order", arguments: args });
const delta = {
  type: "response.function_call_arguments.delta",
  output_index: 0,
  delta: FEW,
};
const done = { ...delta, type: "response.function_call_arguments.done", arguments: FEW };
const inputDelta = (partial_json: string) => ({
  type: "content_block_delta",
  index: 0,
  delta: { type: "input_json_delta", partial_json },
});
const customCall = (id: string, input: string, called?: object) =>
  chunk({ tool_calls: [{ index: 0, id, function: called, custom: { name: "order", input } }] });

test.each<[string, string, object[]]>([
  [
    "the end of the arguments",
    "/v1/responses",
    [created, item("added", order("")), delta, { ...done, arguments: MANY }, completed()],
  ],
  [
    "the end of the item",
    "/v1/responses",
    [created, item("added", order("")), delta, done, item("done", order(MANY)), completed()],
  ],
  [
    "the last event",
    "/v1/responses",
    [created, item("added", order(FEW)), item("done", order(FEW)), completed(order(MANY))],
  ],
  [
    "the last event, after an item without events of its own",
    "/v1/responses",
    [created, item("done", order(FEW)), completed(order(MANY))],
  ],
  [
    "events of another item",
    "/v1/responses",
    [
      ...[created, item("added", order("")), item("added", { ...order(""), id: "g" }, 1)],
      ...[{ ...delta, item_id: "g", delta: MANY }, completed()],
    ],
  ],
  [
    "another item with the same id",
    "/v1/responses",
    [created, item("done", order(FEW)), item("done", order(MANY), 1), completed()],
  ],
  [
    "events of an item that is no call",
    "/v1/responses",
    [
      ...[created, item("added", { type: "x", name: "order" })],
      ...[{ ...done, name: "order", arguments: MANY }, completed()],
    ],
  ],
  [
    "an event without an index",
    "/v1/responses",
    [created, item("done", order(FEW)), { ...done, output_index: undefined, arguments: MANY }],
  ],
  [
    "an index at which no call has started",
    "/v1/chat/completions",
    [
      chunk({ tool_calls: [{ index: 1, id: "c", function: { name: "order", arguments: "" } }] }),
      chunk({ tool_calls: [{ function: { arguments: MANY } }] }),
      finish,
    ],
  ],
  [
    "an object of the same index",
    "/v1/chat/completions",
    [
      chunk({ tool_calls: [{ function: { name: "order", arguments: JSON.parse(MANY) } }] }),
      chunk({ tool_calls: [{ function: { arguments: JSON.parse(FEW) } }] }),
      finish,
    ],
  ],
  [
    "the start of the block",
    "/v1/messages",
    [
      start,
      block({ ...used, name: "order", input: JSON.parse(MANY) }),
      inputDelta(FEW),
      stop,
      ...end,
    ],
  ],
  [
    "a delta of a block that the start of the message contains",
    "/v1/messages",
    [
      { type: "message_start", message: { content: [{ ...used, name: "order" }] } },
      ...[inputDelta(MANY), ...end],
    ],
  ],
  [
    "a delta of a block that starts after one of a higher index",
    "/v1/messages",
    [
      ...[start, { ...block({ ...used, name: "order" }), index: 1 }, { ...stop, index: 1 }],
      ...[block({ ...used, name: "ok", input: {} }), inputDelta(MANY), stop, ...end],
    ],
  ],
  [
    "a delta whose type is not the one of its text",
    "/v1/messages",
    [
      ...[start, block({ ...used, name: "order", input: {} })],
      { ...inputDelta(MANY), delta: { type: "x_delta", partial_json: MANY } },
      ...[stop, ...end],
    ],
  ],
  [
    "a delta before the start of its block",
    "/v1/messages",
    [start, inputDelta(MANY), block({ ...used, name: "order", input: {} }), stop, ...end],
  ],
  [
    "the start of the block, and objects later",
    "/v1/messages",
    [
      start,
      block({ ...used, name: "order", input: JSON.parse(MANY) }),
      { type: "content_block_delta", index: 0, delta: { input: JSON.parse(FEW) } },
      stop,
      ...end,
    ],
  ],
  [
    "a message beside the delta",
    "/v1/chat/completions",
    [{ choices: [{ delta: toolCall("order", FEW), message: toolCall("order", MANY) }] }, finish],
  ],
  [
    "a custom call of the same index",
    "/v1/chat/completions",
    [customCall("a", "amount 1"), customCall("b", "amount 1000"), finish],
  ],
  [
    "a custom call of the same index, beside empty functions",
    "/v1/chat/completions",
    [customCall("a", "amount 1", {}), customCall("b", "amount 1000", {}), finish],
  ],
  [
    "a call of the same index, beside empty inputs",
    "/v1/chat/completions",
    [
      ...[`{"amount":`, MANY].map((text, at) =>
        chunk({
          tool_calls: [{ id: `c${at}`, function: { name: "order", arguments: text, input: "" } }],
        }),
      ),
      finish,
    ],
  ],
  [
    "an input beside the arguments",
    "/v1/chat/completions",
    [chunk({ tool_calls: [{ function: { name: "order", arguments: FEW, input: MANY } }] }), finish],
  ],
])("a stream with other arguments in %s is not sent", async (_, path, events) => {
  const chunks = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const script = { headers: { "content-type": "text/event-stream" }, chunks };

  const sent = await send(path, script, true);

  expect(sent).not.toContain("1000");
  expect(sent).toMatch(/do not fit together|replaces a tool call/);
});

/** Blocks calls of `order` without an amount, or with one above 10. */
async function limitOrders() {
  const parameters = { properties: { amount: { maximum: 10 } }, required: ["amount"] };
  const known_tools = [{ name: "order", parameters }];
  const { id } = await makeDetector(await kit(), "tool_selection", { known_tools });
  return { output_rules: [{ detector_id: id, action: "block" }] };
}

test("a call that a message repeats is evaluated with its arguments", async () => {
  const call = toolCall("order", FEW);
  const events = [chunk(call), { choices: [{ index: 0, message: call }] }, finish];
  const chunks = [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), DONE];
  const script = { headers: { "content-type": "text/event-stream" }, chunks };
  await using it = await makeGuardedConsumer(await kit(), await limitOrders(), { script });

  const reply = await it.post("/v1/chat/completions", { model: "m", messages: [], stream: true });

  expect(await reply.text()).toBe(chunks.join(""));
});

test("arguments that only the end of a call contains are evaluated as those of the call", async () => {
  const policy = await limitOrders();
  const { arguments: _, ...ended } = order("");
  const events = (args: string) => [
    ...[created, item("added", order("")), { ...done, delta: undefined, arguments: args }],
    ...[item("done", ended), completed()],
  ];
  const read = async (args: string) => {
    const chunks = events(args).map((event) => `data: ${JSON.stringify(event)}\n\n`);
    const script = { headers: { "content-type": "text/event-stream" }, chunks };
    await using it = await makeGuardedConsumer(await kit(), policy, { script });
    return await (await it.post("/v1/responses", { model: "m", input: "", stream: true })).text();
  };

  expect(await read(FEW)).toContain("amount");
  expect(await read(MANY)).not.toContain("amount");
});

test.each<[string, string, object]>([
  ["content_block_delta", "/v1/messages", { type: "ping", delta: { text: "a" } }],
  ["response.output_text.delta", "/v1/responses", { type: "response.x", delta: "a" }],
  ["response.output_text.delta", "/v1/responses", { delta: "a" }],
  ["error", "/v1/responses", { type: "response.output_text.delta", delta: "a" }],
  ["ping\nevent: content_block_delta", "/v1/messages", { type: "ping", delta: { text: "a" } }],
])("a stream with the event %s of %s with another type is not sent", async (event, path, data) => {
  const chunks = [`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`];
  const script = { headers: { "content-type": "text/event-stream" }, chunks };

  expect(await send(path, script, true)).toContain("do not fit together");
});

test.each([
  "",
  "event: ping\n",
  "event: content_block_start \n",
  "event: content_block_start\nevent\n",
])(
  "a stream with names whose event has the lines %j is not sent: clients skip it",
  async (lines) => {
    const named = (event: { type: string }) =>
      `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
    const chunks = [
      ...[
        named(start),
        `${lines}data: ${JSON.stringify(block({ ...used, name: "ok", input: {} }))}\n\n`,
      ],
      ...[
        { ...block({ ...used, name: "order" }), index: 1 },
        { ...stop, index: 1 },
      ].map(named),
      ...[inputDelta(MANY), stop, ...end].map(named),
    ];
    const script = { headers: { "content-type": "text/event-stream" }, chunks };

    const sent = await send("/v1/messages", script, true);

    expect(sent).not.toContain("1000");
    expect(sent).toContain("do not fit together");
  },
);

test.each<[string, (body: object) => string]>([
  ["", (body) => JSON.stringify(body)],
  ["in lines", (body) => JSON.stringify(body, null, 2)],
  ["after a byte order mark", (body) => `\ufeff${JSON.stringify(body)}`],
  ["after white space", (body) => `\n\n \t${JSON.stringify(body)}`],
  ["after an event", (body) => `data: {}\n\n${JSON.stringify([body])}`],
  ["after a space and a field", (body) => ` data: ${JSON.stringify(body)}\n\n`],
  ["after a field in another spelling", (body) => `Data : ${JSON.stringify(body)}\n\n`],
])("a denied call in JSON %s with the type of a stream is not sent", async (_, write) => {
  const body = write({ choices: [{ message: toolCall("pay") }] });

  for (const stream of [false, true]) {
    const script = { headers: { "content-type": "text/event-stream" }, body };
    expect(await send("/v1/chat/completions", script, stream)).not.toContain("pay");
  }
});

test.each([
  ["a call", { ...used, name: "order", input: {} }],
  ["text", { type: "text", text: "Hi. " }],
])("%s that starts and ends before the end of a call is sent after it", async (_, next) => {
  const events = [
    ...[start, block({ ...used, name: "ok", input: {} }), inputDelta(FEW)],
    ...[{ ...block(next), index: 1 }, { ...stop, index: 1 }, ...end],
  ];
  const chunks = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const script = { headers: { "content-type": "text/event-stream" }, chunks };

  const sent = await send("/v1/messages", script, true);

  const starts = sent.matchAll(/"content_block_start","index":(\d)/g);
  expect(Array.from(starts, ([, index]) => index)).toEqual(["0", "1"]);
});

test.each([
  ["functionCall", { name: "ok", partialArgs: [] }],
  ["function_call", { name: "ok", partial_args: [] }],
  ["function_call", { name: "ok", will_continue: true }],
])("a stream with the part %s of a call is not sent: %j", async (name, call) => {
  const event = { candidates: [{ content: { role: "model", parts: [{ [name]: call }] } }] };
  const chunks = [`data: ${JSON.stringify(event)}\n\n`];
  const script = { headers: { "content-type": "text/event-stream" }, chunks };

  const sent = await send("/v1beta/models/m:streamGenerateContent", script, true);

  expect(sent).toContain("streamed in parts");
});

test.each(["executableCode", "executable_code"])(
  "%s of Gemini is read as arguments",
  async (name) => {
    const parts = [{ [name]: { language: "PYTHON", code: "127.0.0.1; cat /etc/passwd" } }];
    const { id } = await makeDetector(await kit(), "injection_protection");
    const policy = { output_rules: [{ detector_id: id, action: "block" }] };
    const body = { candidates: [{ content: { role: "model", parts } }] };
    const options = { script: { body }, attach: { provider: "google" } };
    await using it = await makeGuardedConsumer(await kit(), policy, options);

    const reply = await it.post("/v1beta/models/m:generateContent", { contents: [] });

    expect(await reply.text()).toContain("guard_blocked");
  },
);

test.each<[string, string, object[]]>([
  ["the start of the response", "/v1/responses", [{ ...created, response: { output: [called] } }]],
  [
    "a shorter list at the end",
    "/v1/responses",
    [created, item("added", text), item("added", text, 1), completed(called)],
  ],
  [
    "a message beside the delta",
    "/v1/chat/completions",
    [{ choices: [{ delta: { content: "Hi. " }, message: toolCall("pay") }] }],
  ],
  [
    "many messages beside deltas",
    "/v1/chat/completions",
    Array.from({ length: 9 }, () => ({ choices: [{ message: toolCall("pay") }] })),
  ],
])("a denied call in %s of an observed stream is reported", async (_, path, events) => {
  const { id } = await makeDetector(await kit(), "tool_permission", { denied_tools: ["pay"] });
  const chunks = [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), DONE];
  const script = { headers: { "content-type": "text/event-stream" }, chunks };
  const policy = { output_rules: [{ detector_id: id, action: "block" }] };
  const options = { script, guard: { stream: "observe" } };
  await using it = await makeGuardedConsumer(await kit(), policy, options);

  const reply = await it.post(path, { model: "m", messages: [], input: "Hi", stream: true });
  await reply.text();

  await until(async () => {
    const recorded = await it.evaluations(reply.headers.get("x-ag-trace-id"));
    return /"status":"block"|"reason":"unreadable"/.test(JSON.stringify(recorded));
  });
});

test.each<[string, string, object[]]>([
  ["chat", "/v1/chat/completions", [chunk(toolCall("ok")), finish]],
  ["responses", "/v1/responses", [created, item("done", called), completed(called)]],
  ["messages", "/v1/messages", [start, block(used), stop, ...end]],
  [
    "Gemini",
    "/v1beta/models/m:streamGenerateContent?alt=sse",
    [{ candidates: [{ content: { parts: [{ functionCall: { name: "ok" } }] } }] }],
  ],
])("an observed stream of %s with a call is evaluated once", async (_, path, events) => {
  const chunks = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const script = { headers: { "content-type": "text/event-stream" }, chunks };
  const provider = PROVIDERS[path.replace("?alt=sse", "")] ?? "openai";
  const options = { script, guard: { stream: "observe" }, attach: { provider } };
  await using it = await makeGuardedConsumer(await kit(), {}, options);
  const body = { model: "m", max_tokens: 9, messages: [], input: "Hi", stream: true };

  const reply = await it.post(path, path.startsWith("/v1beta/") ? { contents: [] } : body);
  await reply.text();

  const read = () => it.evaluations(reply.headers.get("x-ag-trace-id"));
  await until(async () => (await read()).length > 1);
  await Bun.sleep(20);
  expect((await read()).map(({ direction }) => direction)).toEqual(["input", "output"]);
});

test.each([
  "charset=unicode_escape",
  "charset =unicode_escape",
  "charset*=utf-8''unicode_escape",
  'charset=utf-8; Charset="unicode_escape"',
])("a stream with the parameter %s is not sent: clients decode another text", async (parameter) => {
  const headers = { "content-type": `text/event-stream; ${parameter}` };
  const chunks = [`data: ${JSON.stringify(chunk({ content: "Hi. " }))}\n\n`, DONE];

  for (const body of [{ chunks }, { body: "Hi. " }]) {
    const sent = await send("/v1/chat/completions", { headers, ...body }, true);
    expect(sent).toContain("not in UTF-8");
  }
});

test("the data of an event is sent in one line: some clients read each line as an event", async () => {
  const lines = ['{"x":', JSON.stringify(chunk({ content: "Hi. " })), "}"];
  const chunks = [lines.map((line) => `data: ${line}\n`).join(""), "\n", DONE];
  const script = { headers: { "content-type": "text/event-stream" }, chunks };

  const sent = await send("/v1/chat/completions", script, true);

  expect(sent).toBe(`data: ${lines.join(" ")}\n\n${DONE}`);
});

const command = "127.0.0.1; cat /etc/passwd";
const shell = { type: "local_shell_call", id: "s", action: { type: "exec", command: [command] } };

test.each<[string, object]>([
  ["in another member", { type: "response.x", note: command }],
  ["of another author", { ...item("x", { ...shell, type: "x" }), output_index: undefined }],
])("text that is harmless %s is evaluated again in a call", async (_, harmless) => {
  const injections = await makeDetector(await kit(), "injection_protection");
  const policy = { output_rules: [{ detector_id: injections.id, action: "block" }] };
  const events = [created, harmless, item("done", shell), completed()];
  const chunks = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const script = { headers: { "content-type": "text/event-stream" }, chunks };
  await using it = await makeGuardedConsumer(await kit(), policy, { script });

  const reply = await it.post("/v1/responses", { model: "m", input: "Hi", stream: true });

  expect(await reply.text()).not.toContain("local_shell_call");
});

test("text that is harmless in one member is evaluated again in one with a telling name", async () => {
  const { id } = await makeDetector(await kit(), "data_loss_prevention");
  const policy = { output_rules: [{ detector_id: id, action: "block" }] };
  const exec = (name: string) => ({ ...shell, action: { type: "exec", [name]: "219 09 9999" } });
  const events = [created, item("done", exec("note")), item("done", exec("ssn")), completed()];
  const chunks = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const script = { headers: { "content-type": "text/event-stream" }, chunks };
  await using it = await makeGuardedConsumer(await kit(), policy, { script });

  const reply = await it.post("/v1/responses", { model: "m", input: "Hi", stream: true });

  expect(await reply.text()).not.toContain("ssn");
});

test("a stream with a respelled member that is no text is not sent", async () => {
  const event = { choices: [{ index: 0, Index: 1, delta: { content: "Hi. " } }] };
  const chunks = [`data: ${JSON.stringify(event)}\n\n`, DONE];
  const script = { headers: { "content-type": "text/event-stream" }, chunks };

  const sent = await send("/v1/chat/completions", script, true);

  expect(sent).toContain("do not fit together");
  expect(sent).not.toContain("Index");
});

test("an event that repeats many texts does not delay other requests", async () => {
  const deltas = Array.from({ length: 3000 }, (_, output_index) => {
    const content_index = 0;
    return { type: "response.output_text.delta", output_index, content_index, delta: "a b" };
  });
  const members = Array.from({ length: 18_000 }, (_, index) => [`m${index}`, "a b"]);
  const done = { type: "response.x.done", output_index: 0, ...Object.fromEntries(members) };
  const chunks = [created, ...deltas, done, completed()].map(
    (event) => `data: ${JSON.stringify(event)}\n\n`,
  );
  const script = { headers: { "content-type": "text/event-stream" }, chunks };

  const [longest, sent] = await measureLongestTurn(() => send("/v1/responses", script, true));

  expect(sent).toContain("an event repeats too many texts");
  expect(longest).toBeLessThan(3000);
});

const names = (from: number, to: number, write = (at: number) => `m${at}`) =>
  Object.fromEntries(Array.from({ length: to - from }, (_, at) => [write(from + at), 1]));
const short = (at: number) => at.toString(36);
const long = (at: number) => `m${at}`.padStart(60, "m");

test.each<[string, object[]]>([
  ["in one event", [{ ...chunk({ content: "Hi" }), more: names(0, 21_000) }]],
  [
    "in one event, with names that end like those of tokens",
    [{ ...chunk({ content: "Hi" }), more: names(0, 21_000, (at) => `${at}"token`) }],
  ],
  [
    "in the deltas of two events",
    [chunk(names(0, 11_000, long)), chunk(names(11_000, 21_000, long))],
  ],
  [
    "in the deltas of two events with less than 1 MiB",
    [chunk(names(0, 11_000, short)), chunk(names(11_000, 21_000, short))],
  ],
])("a stream with more than 20,000 members %s is not evaluated", async (_, events) => {
  const chunks = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const headers = { "content-type": "text/event-stream" };

  const sent = await send("/v1/chat/completions", { headers, chunks: [...chunks, DONE] }, true);

  expect(sent.slice(-500)).toContain("it has more than 20000 members");
});

test("a stream with more than 1,000,000 values is not evaluated", async () => {
  const list = Array(400_000).fill(1);
  const events = ["a", "b", "c"].map((name) => ({
    choices: [{ index: 0, delta: {}, [name]: list }],
  }));
  const chunks = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const headers = { "content-type": "text/event-stream" };

  const sent = await send("/v1/chat/completions", { headers, chunks: [...chunks, DONE] }, true);

  expect(sent.slice(-500)).toContain("it has more than 1000000 values");
});

test("an event with the tokens of a long text passes", async () => {
  const token = { token: "a", logprob: -1, bytes: [97] };
  const content = Array.from({ length: 4000 }, () => ({
    ...token,
    top_logprobs: Array(8).fill(token),
  }));
  const event = { choices: [{ index: 0, delta: { content: "a" }, logprobs: { content } }] };
  const chunks = [`data: ${JSON.stringify(event)}\n\n`, DONE];
  const headers = { "content-type": "text/event-stream" };

  expect(await send("/v1/chat/completions", { headers, chunks }, true)).toBe(chunks.join(""));
});

const DONE = "data: [DONE]\n\n";

test("other requests run while a stream with many texts and items is evaluated", async () => {
  const deltas = Array.from({ length: 3500 }, (_, output_index) => {
    const content_index = 0;
    return { type: "response.output_text.delta", output_index, content_index, delta: "a b" };
  });
  const done = { type: "response.output_item.done", output_index: 4000, item: {} };
  const events = [created, ...deltas, ...Array.from({ length: 1000 }, () => done), completed()];
  const chunks = [events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")];
  const script = { headers: { "content-type": "text/event-stream" }, chunks };

  const [longest, , all] = await measureLongestTurn(() => send("/v1/responses", script, true));

  expect(longest).toBeLessThan(all / 10);
});

const MASKED = "Write to ann@example.com. ";

test.each<[string, object[]]>([
  ["continues one text many times", [letters(6000)]],
  ["has many texts beside a long member", [{ ...letters(300, 1), id: "y ".repeat(100_000) }]],
  [
    "repeats the start of a text",
    [chunk({ content: "Hello there. ".repeat(8000) }), copies("Hello")],
  ],
  [
    "repeats a masked part of a text",
    [chunk({ content: MASKED.repeat(4000) }), copies(MASKED.trimEnd())],
  ],
  [
    "has many values in its id at the end of a denied call",
    [letters(300, 1), chunk(toolCall("pay")), { ...finish, id: { ...Array(20_000).fill(1) } }],
  ],
])("a stream with an event that %s is not sent at many times its size", async (_, events) => {
  const { id } = await makeDetector(await kit(), "data_loss_prevention");
  const chunks = events.map((event) => `data: ${JSON.stringify(event)}\n\n`);
  const script = { headers: { "content-type": "text/event-stream" }, chunks };
  const tools = await makeDetector(await kit(), "tool_permission", { denied_tools: ["pay"] });
  const output_rules = [
    { detector_id: id, action: "transform" },
    { detector_id: tools.id, action: "block" },
  ];
  await using it = await makeGuardedConsumer(await kit(), { output_rules }, { script });

  const reply = await it.post("/v1/chat/completions", { model: "m", messages: [], stream: true });
  const sent = await reply.text();

  expect(sent).not.toContain("ann@");
  expect(sent.length).toBeLessThan(2 * chunks.join("").length + 17 * 1024 * 1024);
});

/** A chunk with many choices, of which each index is `step` more than the one before. */
function letters(length: number, step = 0) {
  const delta = { content: "a" };
  return { choices: Array.from({ length }, (_, at) => ({ index: at * step, delta })) };
}

function copies(content: string) {
  const message = { content };
  return { choices: Array.from({ length: 400 }, () => ({ index: 0, message })) };
}

test("the time of a Gemini stream is linear in the number of its function calls", async () => {
  const args = { note: "a b ".repeat(100) };
  const part = { functionCall: { name: "read", args } };
  const event = (more: object) => ({
    candidates: [{ content: { role: "model", parts: [part] }, ...more }],
  });
  const took: number[] = [];
  for (const count of [100, 1600]) {
    const chunks = Array.from({ length: count }, () => `data: ${JSON.stringify(event({}))}\n\n`);
    chunks.push(`data: ${JSON.stringify(event({ finishReason: "STOP" }))}\n\n`);
    const script = { headers: { "content-type": "text/event-stream" }, chunks };
    const path = "/v1beta/models/m:streamGenerateContent";
    const began = process.cpuUsage();
    const sent = await send(path, script, true);
    const { user, system } = process.cpuUsage(began);
    took.push(user + system);
    expect(sent.split('"functionCall"').length).toBe(count + 2);
  }

  const [few = 0, many = 0] = took;
  expect(many / few).toBeLessThan(24);
});
