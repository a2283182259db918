import { expect, test } from "bun:test";
import type { AppError } from "../../contract/errors.ts";
import type { JsonObject } from "../../lib/json/json-object.ts";
import type { NeutralEvent, NeutralResponse, OutputPart } from "../neutral.ts";
import { responses } from "./responses.ts";

const REPLY = { model: "gpt-x", id: "1", created: 1000, request: { model: "gpt-x", input: "Hi" } };

const read = (body: JsonObject) =>
  responses.readRequest({ model: "gpt-x", ...body }, { stream: false });

function readFailure(body: JsonObject): [string, string | undefined] {
  try {
    read(body);
  } catch (thrown) {
    const { message, details } = thrown as AppError;
    return [message, details.param];
  }
  throw new Error("The request was accepted.");
}

test("items of one turn become one message", () => {
  const { messages } = read({
    instructions: "Be short.",
    input: [
      { role: "developer", content: "Use tools." },
      { type: "message", role: "user", content: [{ type: "input_text", text: "Hi" }], id: "m" },
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAA" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "Wait" }] },
      { type: "function_call", call_id: "c1", name: "ls", arguments: "{}" },
      { type: "custom_tool_call", call_id: "c2", name: "patch", input: 'say "x"' },
      { type: "function_call_output", call_id: "c1", output: "a.txt" },
      {
        type: "custom_tool_call_output",
        call_id: "c2",
        output: [{ type: "input_image", image_url: "data:image/png;base64,AA==", detail: "low" }],
      },
      { role: "user", content: "Go on" },
    ],
  });

  expect(messages.map(({ role, at }) => [role, at])).toEqual([
    ["system", "instructions"],
    ["system", "input[0]"],
    ["user", "input[1]"],
    ["assistant", "input[2]"],
    ["user", "input[6]"],
    ["user", "input[8]"],
  ]);
  expect(messages[3]?.parts).toEqual([
    { type: "thinking", text: "", signature: { dialect: "responses", value: "gAAA" } },
    { type: "text", text: "Wait" },
    { type: "tool_call", id: "c1", name: "ls", arguments: "{}" },
    { type: "tool_call", id: "c2", name: "patch", arguments: '{"input":"say \\"x\\""}' },
  ]);
  expect(messages[4]?.parts).toEqual([
    { type: "tool_result", call_id: "c1", parts: [{ type: "text", text: "a.txt" }] },
    {
      type: "tool_result",
      call_id: "c2",
      parts: [{ type: "image", source: { data: "AA==", media_type: "image/png" }, detail: "low" }],
    },
  ]);
});

test("tools of Codex become functions: custom tools with a grammar, namespaces, no web search", () => {
  const { tools } = read({
    input: "Hi",
    tools: [
      { type: "web_search", external_web_access: false },
      {
        type: "custom",
        name: "apply_patch",
        description: "Edits files.",
        format: { type: "grammar", syntax: "lark", definition: "start: x" },
      },
      {
        type: "namespace",
        name: "agents",
        description: "",
        tools: [{ type: "function", name: "spawn", strict: false, parameters: { type: "object" } }],
      },
    ],
  });

  expect(tools).toEqual([
    {
      name: "apply_patch",
      description: "Edits files.\n\nThe input must match this lark grammar:\nstart: x",
      schema: {
        type: "object",
        properties: { input: { type: "string" } },
        required: ["input"],
        additionalProperties: false,
      },
    },
    { name: "agents__spawn", schema: { type: "object" }, strict: false },
  ]);
});

test("the tool search of Codex becomes a function; the tools that it found are offered", () => {
  const search = {
    type: "tool_search",
    execution: "client",
    description: "Finds tools.",
    parameters: { type: "object", properties: { query: { type: "string" } } },
  };
  const found = {
    type: "namespace",
    name: "colors",
    tools: [{ type: "function", name: "find", parameters: { type: "object" } }],
  };
  const body = {
    tools: [search],
    input: [
      { type: "tool_search_call", call_id: "c1", execution: "client", arguments: { query: "x" } },
      { type: "tool_search_output", call_id: "c1", execution: "client", tools: [found] },
    ],
  };
  const { tools, messages } = read(body);

  expect(tools).toEqual([
    { name: "tool_search", description: "Finds tools.", schema: search.parameters },
    { name: "colors__find", schema: { type: "object" } },
  ]);
  expect(messages.flatMap(({ parts }) => parts)).toEqual([
    { type: "tool_call", id: "c1", name: "tool_search", arguments: '{"query":"x"}' },
    { type: "tool_result", call_id: "c1", parts: [{ type: "text", text: '["colors__find"]' }] },
  ]);

  const parts: OutputPart[] = [
    { type: "tool_call", id: "c2", name: "tool_search", arguments: '{"query":"y"}' },
    { type: "tool_call", id: "c3", name: "colors__find", arguments: "{}" },
  ];
  const reply = { ...REPLY, request: { ...REPLY.request, ...body } };
  const { output } = responses.writeResponse({ ...RESPONSE, parts }, reply);
  expect(output).toMatchObject([
    { type: "tool_search_call", call_id: "c2", execution: "client", arguments: { query: "y" } },
    { type: "function_call", call_id: "c3", name: "find", namespace: "colors" },
  ]);
  const writer = responses.createStreamWriter(reply);
  const text = toEvents({ ...RESPONSE, parts })
    .map(writer.write)
    .join("");
  expect(parseStream(text).at(-1)?.response).toMatchObject({ output });
});

test("a member that cannot be translated is named with its full path", () => {
  const failures: [JsonObject, string][] = [
    [{ input: "Hi", previous_response_id: "resp_1" }, "previous_response_id"],
    [{ input: "Hi", conversation: "conv_1" }, "conversation"],
    [{ input: "Hi", background: true }, "background"],
    [{ input: "Hi", shade: "red" }, "shade"],
    [{ input: [{ type: "item_reference", id: "x" }] }, "input[0].type"],
    [{ input: [{ role: "user", content: [{ type: "input_video" }] }] }, "input[0].content[0].type"],
    [
      { input: [{ role: "user", content: [{ type: "input_file", file_id: "file-1" }] }] },
      "input[0].content[0].file_id",
    ],
    [
      { input: [{ role: "user", content: [{ type: "input_image", image_url: "x.png" }] }] },
      "input[0].content[0].image_url",
    ],
    [{ input: "Hi", tools: [{ type: "file_search" }] }, "tools[0].type"],
    [{ input: "Hi", tools: [{ type: "function", name: 1 }] }, "tools[0].name"],
    [{ input: "Hi", tool_choice: { type: "file_search" } }, "tool_choice.type"],
    [{}, "input"],
  ];
  for (const [body, path] of failures) {
    const [message, param] = readFailure(body);
    expect(param).toBe(path);
    expect(message).toStartWith(`${path}: `);
  }
  expect(readFailure({ input: "Hi", previous_response_id: "r" })[0]).toContain("send the whole");
});

const PARTS: OutputPart[] = [
  { type: "thinking", text: "Let me see", signature: { dialect: "messages", value: "s1" } },
  { type: "text", text: "Hällo 🙂" },
  { type: "text", text: "No.", is_refusal: true },
  { type: "tool_call", id: "c1", name: "ls", arguments: '{"path":"/"}' },
  { type: "tool_call", id: "c2", name: "agents__spawn", arguments: "" },
  { type: "tool_call", id: "c3", name: "patch", arguments: '{"input":"*** a"}' },
];
const RESPONSE: NeutralResponse = {
  parts: PARTS,
  stop_reason: "tool_calls",
  usage: { input_tokens: 7, cached_tokens: 3, output_tokens: 5, reasoning_tokens: 2 },
};
const TOOLS = [
  { type: "function", name: "ls" },
  { type: "namespace", name: "agents", tools: [{ type: "function", name: "spawn" }] },
  { type: "custom", name: "patch" },
];

test("a stream and the whole response contain the same response object", () => {
  const reply = { ...REPLY, request: { ...REPLY.request, tools: TOOLS, instructions: "x" } };
  const writer = responses.createStreamWriter(reply);
  const text = toEvents(RESPONSE).map(writer.write).join("");
  const events = parseStream(text);

  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, n) => n));
  expect(events.at(-1)?.response).toEqual(responses.writeResponse(RESPONSE, reply));
  expect(events.map(({ type }) => String(type).replace("response.", ""))).toEqual([
    "created",
    "in_progress",
    "output_item.added",
    "reasoning_summary_part.added",
    "reasoning_summary_text.delta",
    "reasoning_summary_text.delta",
    "reasoning_summary_text.done",
    "reasoning_summary_part.done",
    "output_item.done",
    "output_item.added",
    "content_part.added",
    "output_text.delta",
    "output_text.delta",
    "output_text.done",
    "content_part.done",
    "output_item.done",
    "output_item.added",
    "content_part.added",
    "refusal.delta",
    "refusal.delta",
    "refusal.done",
    "content_part.done",
    "output_item.done",
    "output_item.added",
    "function_call_arguments.delta",
    "function_call_arguments.delta",
    "function_call_arguments.done",
    "output_item.done",
    "output_item.added",
    "function_call_arguments.delta",
    "function_call_arguments.done",
    "output_item.done",
    "output_item.added",
    "custom_tool_call_input.delta",
    "custom_tool_call_input.done",
    "output_item.done",
    "completed",
  ]);
});

test("calls return with the client's names, and with the input of custom tools", () => {
  const reply = { ...REPLY, request: { ...REPLY.request, tools: TOOLS } };
  const { output } = responses.writeResponse(RESPONSE, reply);

  expect((output as JsonObject[]).slice(3)).toMatchObject([
    { type: "function_call", call_id: "c1", name: "ls", arguments: '{"path":"/"}' },
    { type: "function_call", call_id: "c2", name: "spawn", namespace: "agents", arguments: "{}" },
    { type: "custom_tool_call", call_id: "c3", name: "patch", input: "*** a" },
  ]);
});

test("a signature of another format returns with the next request", () => {
  const { output } = responses.writeResponse(RESPONSE, REPLY);
  const { messages } = read({ input: output });

  expect(messages[0]?.parts[0]).toEqual(PARTS[0] as OutputPart);
});

test("a stream that is written is read again with the same parts", () => {
  const parts = PARTS.slice(0, 4).map(
    (part): OutputPart =>
      part.type === "thinking"
        ? { ...part, signature: { dialect: "responses", value: "s1" } }
        : part,
  );
  const response = { ...RESPONSE, parts };
  const writer = responses.createStreamWriter(REPLY);
  const text = toEvents(response).map(writer.write).join("");
  const reader = responses.createStreamReader();
  const events = parseStream(text).flatMap((event) => reader.read("", JSON.stringify(event)));

  expect(collect([...events, ...reader.end()])).toEqual(response);
  const whole = responses.writeResponse(response, REPLY);
  expect(responses.readResponse(whole)).toEqual({ ...response, id: "resp_1" });
});

test("an index that is a long integer is read as the first one", () => {
  const response = { ...RESPONSE, parts: PARTS.slice(1, 2) };
  const writer = responses.createStreamWriter(REPLY);
  const text = toEvents(response).map(writer.write).join("");
  const reader = responses.createStreamReader();
  const events = parseStream(text).flatMap((event) =>
    reader.read("", JSON.stringify(event).replaceAll('_index":0', '_index":12345678901234567890')),
  );

  expect(collect([...events, ...reader.end()]).parts).toEqual(response.parts);
});

test("content that was not streamed is read from complete items", () => {
  const item = { type: "function_call", call_id: "c1", name: "ls", arguments: '{"a":1}' };
  const message = { type: "message", content: [{ type: "output_text", text: "Hi" }] };
  const done = { type: "response.completed", response: { status: "completed", output: [message] } };

  expect(readAll([{ type: "response.output_item.done", item }, done])).toMatchObject({
    parts: [{ type: "tool_call", arguments: '{"a":1}' }],
    stop_reason: "tool_calls",
  });
  expect(readAll([done])).toMatchObject({ parts: [{ text: "Hi" }], stop_reason: "end" });
});

test("events out of order, an unknown item and an early end are errors", () => {
  const call = { type: "function_call", call_id: "c1", name: "ls", arguments: "" };
  const added = { type: "response.output_item.added", output_index: 0, item: call };
  const broken: JsonObject[][] = [
    [added, { ...added, output_index: 1 }],
    [added, added],
    [added, { type: "response.output_text.delta", output_index: 1, delta: "x" }],
    [{ type: "response.function_call_arguments.delta", output_index: 0, delta: "x" }],
    [added, { type: "response.completed", response: { status: "completed" } }],
    [{ type: "response.output_item.added", item: { type: "web_search_call" } }],
    [added],
    [],
  ];
  for (const events of broken) {
    expect(() => readAll(events)).toThrow("The upstream's response");
  }
});

function toEvents({ parts, stop_reason, usage }: NeutralResponse): NeutralEvent[] {
  const events: NeutralEvent[] = [{ type: "start" }];
  for (const part of parts) {
    const text = part.type === "tool_call" ? part.arguments : part.text;
    const empty =
      part.type === "tool_call"
        ? { ...part, arguments: "" }
        : part.type === "thinking"
          ? { type: part.type, text: "" }
          : { ...part, text: "" };
    events.push({ type: "part_start", part: empty });
    for (const piece of [text.slice(0, 2), text.slice(2)]) {
      if (piece) events.push({ type: "delta", text: piece });
    }
    if (part.type === "thinking" && part.signature) {
      events.push({ type: "signature", signature: part.signature });
    }
    events.push({ type: "part_end" });
  }
  return [...events, { type: "end", stop_reason, ...(usage && { usage }) }];
}

const parseStream = (text: string): JsonObject[] =>
  text
    .split("\n\n")
    .filter(Boolean)
    .map((event) => {
      const [name, data = ""] = event.split("\n");
      const parsed = JSON.parse(data.slice("data: ".length)) as JsonObject;
      expect(name).toBe(`event: ${parsed.type}`);
      return parsed;
    });

function readAll(events: JsonObject[]): NeutralResponse {
  const reader = responses.createStreamReader();
  const read = events.flatMap((event) => reader.read("", JSON.stringify(event)));
  return collect([...read, ...reader.end()]);
}

function collect(events: NeutralEvent[]): NeutralResponse {
  const parts: OutputPart[] = [];
  for (const event of events) {
    const part = parts.at(-1);
    if (event.type === "part_start") parts.push({ ...event.part });
    if (event.type === "signature" && part?.type === "thinking") part.signature = event.signature;
    if (event.type === "delta" && part?.type === "tool_call") part.arguments += event.text;
    else if (event.type === "delta" && part && part.type !== "tool_call") part.text += event.text;
    if (event.type === "end") {
      const { stop_reason, usage } = event;
      return { parts, stop_reason, ...(usage && { usage }) };
    }
  }
  throw new Error("The stream has no end.");
}
