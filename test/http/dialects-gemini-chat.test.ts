/** The unmodified Google Gen AI SDK against upstreams that support only chat completions, or only messages. */
import { describe, expect, test } from "bun:test";
import { FunctionCallingConfigMode, GoogleGenAI, type Part, Type } from "@google/genai";
import { sharedKit } from "../kit/kit.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import type { Script } from "../kit/upstream.ts";

const kit = sharedKit();
const EVENTS = { "content-type": "text/event-stream" };
const STREAM = "/v1beta/models/gemini-2.5-pro:streamGenerateContent";
const WHOLE = "/v1beta/models/gemini-2.5-pro:generateContent";

async function start(script: Script, provider = "openai") {
  const map = { "gemini-*": "upstream-model" };
  const one = await startConsumer(await kit(), [{ provider, models: { map } }], [script]);
  const client = new GoogleGenAI({ apiKey: one.key, httpOptions: { baseUrl: one.url } });
  const sent = (index: number) => JSON.parse(one.upstreams[0]?.hits[index]?.body.toString() ?? "");
  return { ...one, client, sent };
}

const declaration = {
  name: "get_weather",
  description: "Weather of a city",
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING, nullable: true } } },
};
const ask = {
  model: "gemini-2.5-pro",
  contents: [{ role: "user", parts: [{ text: "Paris and Rome?" }] }],
  config: {
    systemInstruction: "Be brief.",
    tools: [{ functionDeclarations: [declaration] }],
    toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } },
    maxOutputTokens: 500,
    stopSequences: ["END"],
    temperature: 0.5,
    topP: 0.9,
    seed: 7,
  },
};

const calls = [
  {
    id: "call_a",
    type: "function",
    function: { name: "get_weather", arguments: '{"city":"Paris"}' },
  },
  { id: "call_b", type: "function", function: { name: "get_weather", arguments: "" } },
];
const usage = {
  prompt_tokens: 90,
  completion_tokens: 40,
  total_tokens: 130,
  prompt_tokens_details: { cached_tokens: 60 },
  completion_tokens_details: { reasoning_tokens: 15 },
};
const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "upstream-model",
  choices: [
    {
      index: 0,
      message: {
        role: "assistant",
        reasoning_content: "Two cities.",
        content: "I look it up: é, 🌦.",
        tool_calls: calls,
      },
      finish_reason: "tool_calls",
    },
  ],
  usage,
};
const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: "chatcmpl-1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta, finish_reason }],
});
const sse = [
  chunk({ role: "assistant", content: "" }),
  chunk({ reasoning_content: "Two " }),
  chunk({ reasoning_content: "cities." }),
  chunk({ content: "I look it up: " }),
  chunk({ content: "é, 🌦." }),
  ...calls.flatMap(({ function: { arguments: args, ...named }, ...call }, index) => [
    chunk({ tool_calls: [{ index, ...call, function: { ...named, arguments: "" } }] }),
    ...[...args].map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]),
  chunk({}, "tool_calls"),
  { id: "chatcmpl-1", choices: [], usage },
]
  .map((event) => `data: ${JSON.stringify(event)}\n\n`)
  .concat("data: [DONE]\n\n")
  .join("");

const toBytes = (text: string) => [...Buffer.from(text)].map((byte) => Buffer.from([byte]));

/** Joins parts of one kind, as clients show them. */
function join(parts: Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const isText = part.text !== undefined && last?.text !== undefined;
    if (isText && last.thought === part.thought) {
      Object.assign(last, part, { text: `${last.text}${part.text}` });
    } else if (part.text !== "") joined.push({ ...part });
  }
  return joined;
}

test("content is sent as a chat completion, and the response is content", async () => {
  await using one = await start({ body: completion });

  const response = await one.client.models.generateContent(ask);

  expect(one.upstreams[0]?.hits[0]?.path).toBe("/chat/completions");
  expect(one.sent(0)).toMatchObject({
    model: "upstream-model",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Paris and Rome?" },
    ],
    tools: [
      {
        type: "function",
        function: {
          name: "get_weather",
          parameters: {
            type: "object",
            properties: { city: { type: ["string", "null"] } },
          },
        },
      },
    ],
    tool_choice: "required",
    max_completion_tokens: 500,
    stop: ["END"],
    temperature: 0.5,
    top_p: 0.9,
    seed: 7,
  });
  expect(response).toMatchObject({
    candidates: [
      {
        content: {
          role: "model",
          parts: [
            { text: "Two cities.", thought: true },
            { text: "I look it up: é, 🌦." },
            { functionCall: { id: "call_a", name: "get_weather", args: { city: "Paris" } } },
            { functionCall: { id: "call_b", name: "get_weather", args: {} } },
          ],
        },
        finishReason: "STOP",
      },
    ],
    usageMetadata: {
      promptTokenCount: 90,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 25,
      thoughtsTokenCount: 15,
      totalTokenCount: 130,
    },
    modelVersion: "gemini-2.5-pro",
    responseId: "chatcmpl-1",
  });
});

test("a stream has the same parts as the whole response, for chunks of any size", async () => {
  await using one = await start((hit, count) =>
    JSON.parse(hit.body.toString()).stream
      ? { headers: EVENTS, chunks: count === 2 ? [sse] : toBytes(sse) }
      : { body: completion },
  );
  const whole = await one.client.models.generateContent(ask);

  for (let round = 0; round < 2; round++) {
    const parts: Part[] = [];
    let last: object | undefined;
    for await (const each of await one.client.models.generateContentStream(ask)) {
      parts.push(...(each.candidates?.[0]?.content?.parts ?? []));
      last = each;
    }
    expect(join(parts)).toEqual(whole.candidates?.[0]?.content?.parts ?? []);
    expect(last).toMatchObject({
      candidates: [{ finishReason: "STOP" }],
      usageMetadata: whole.usageMetadata,
      responseId: "chatcmpl-1",
    });
  }
  expect(await (await one.post(STREAM, { contents: ask.contents })).json()).toBeArray();
});

test("results are matched to calls without ids by name and order", async () => {
  await using one = await start({ body: completion });
  const call = (name: string, args: object) => ({ functionCall: { name, args } });
  const result = (name: string, response: object) => ({ functionResponse: { name, response } });

  await one.post(WHOLE, {
    system_instruction: { parts: [{ text: "Be brief." }] },
    contents: [
      {
        role: "user",
        parts: [{ text: "Go" }, { inline_data: { mime_type: "image/png", data: "aGk=" } }],
      },
      { role: "model", parts: [call("a", { n: 1 }), call("b", {}), call("a", { n: 2 })] },
      {
        role: "user",
        parts: [
          result("a", { output: "first" }),
          result("a", { error: "second" }),
          result("b", { list: [1] }),
        ],
      },
    ],
    generation_config: { response_mime_type: "application/json" },
    safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_NONE" }],
  });

  const { messages, response_format } = one.sent(0);
  const [, user, assistant, ...tools] = messages;
  expect(response_format).toEqual({ type: "json_object" });
  expect(user.content[1]).toMatchObject({ image_url: { url: "data:image/png;base64,aGk=" } });
  const ids = assistant.tool_calls.map(({ id }: { id: string }) => id);
  expect(new Set(ids).size).toBe(3);
  expect(
    tools.map(({ tool_call_id, content }: Record<string, unknown>) => [tool_call_id, content]),
  ).toEqual([
    [ids[0], "first"],
    [ids[2], expect.stringContaining("second")],
    [ids[1], '{"list":[1]}'],
  ]);
});

test("thinking of an Anthropic upstream returns to it with its signature", async () => {
  const content = [
    { type: "thinking", thinking: "Two cities.", signature: "c2ln" },
    { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Paris" } },
  ];
  await using one = await start(
    {
      body: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "m",
        content,
        stop_reason: "tool_use",
        usage: { input_tokens: 5, output_tokens: 3 },
      },
    },
    "anthropic",
  );

  const first = await one.client.models.generateContent(ask);
  const [call] = first.functionCalls ?? [];
  const model = first.candidates?.[0]?.content;
  const response = { output: "sunny" };
  const result = { role: "user", parts: [{ functionResponse: { name: "get_weather", response } }] };
  await one.client.models.generateContent({
    ...ask,
    contents: [...ask.contents, ...(model ? [model] : []), result],
  });

  expect(call?.id).toBe("toolu_1");
  expect(one.sent(1).messages).toMatchObject([
    { role: "user" },
    { role: "assistant", content },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1" }] },
  ]);
});

test("an upstream's error keeps its status, message and code in Google's format", async () => {
  const error = {
    message: "Too long.",
    type: "invalid_request_error",
    code: "context_length_exceeded",
  };
  await using one = await start({ status: 400, body: { error } });

  const reply = await one.post(WHOLE, { contents: ask.contents });

  expect(reply.status).toBe(400);
  expect(await reply.json()).toMatchObject({
    error: {
      code: 400,
      message: "Too long.",
      status: "INVALID_ARGUMENT",
      details: [{ reason: "context_length_exceeded" }],
    },
  });
});

test("a stream that ends inside a tool call ends with an error of Google's format", async () => {
  const cut = sse.slice(0, sse.indexOf('"arguments":"\\"'));
  await using one = await start({
    headers: EVENTS,
    chunks: [cut.slice(0, cut.lastIndexOf("data:"))],
  });

  const text = await (await one.post(`${STREAM}?alt=sse`, { contents: ask.contents })).text();

  const last = JSON.parse(text.trimEnd().split("\n\n").at(-1)?.slice("data: ".length) ?? "");
  expect(last).toMatchObject({ error: { code: 500, status: "INTERNAL" } });
  expect(text).not.toContain("functionCall");
});

describe("what cannot be translated is a 400 that names the member", () => {
  const user = (part: object) => ({ contents: [{ role: "user", parts: [part] }] });
  test.each([
    ["contents[0].parts[0].executableCode", user({ executableCode: { language: "PYTHON" } })],
    ["contents[0].parts[0].unknownPart", user({ unknownPart: {} })],
    [
      "contents[0].parts[0].functionResponse",
      user({ functionResponse: { name: "x", response: {} } }),
    ],
    ["contents[0].parts[0].fileData.fileUri", user({ fileData: { fileUri: "gs://bucket/file" } })],
    [
      "contents[0].parts[0].inlineData.mimeType",
      user({ inlineData: { mimeType: "video/mp4", data: "" } }),
    ],
    ["contents[0].role", { contents: [{ role: "assistant", parts: [] }] }],
    ["tools[0].googleSearch", { ...user({ text: "x" }), tools: [{ googleSearch: {} }] }],
    ["cachedContent", { ...user({ text: "x" }), cachedContent: "cachedContents/1" }],
    [
      "generationConfig.candidateCount",
      { ...user({ text: "x" }), generationConfig: { candidateCount: 2 } },
    ],
    [
      "generationConfig.speechConfig",
      { ...user({ text: "x" }), generationConfig: { speechConfig: {} } },
    ],
    [
      "generationConfig.responseModalities[0]",
      { ...user({ text: "x" }), generationConfig: { responseModalities: ["IMAGE"] } },
    ],
  ])("%s", async (param, body) => {
    await using one = await start({ body: completion });

    const reply = await one.post(WHOLE, body);

    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({
      error: { status: "INVALID_ARGUMENT", details: [{ metadata: { param } }] },
    });
    expect(one.hits()).toEqual([0]);
  });
});

test("tokens are estimated where no registry counts them, and marked", async () => {
  await using one = await start({ body: {} });

  const reply = await one.post("/v1beta/models/gemini-2.5-pro:countTokens", {
    contents: [{ parts: [{ text: "one two three four" }] }],
  });

  expect(reply.headers.get("x-ag-token-count")).toBe("estimated");
  expect(await reply.json()).toEqual({ totalTokens: expect.any(Number) });
  expect(one.hits()).toEqual([0]);
});

test("10,000 functions and an image of 12 MiB are translated, and a body over the limit is a 413", async () => {
  await using one = await start({ body: completion });
  const functionDeclarations = Array.from({ length: 10_000 }, (_, index) => ({
    ...declaration,
    name: `tool_${index}`,
  }));
  const image = (mebibytes: number) => ({
    inlineData: { mimeType: "image/png", data: "A".repeat(mebibytes * 1024 * 1024) },
  });
  const show = (part: object) => ({ contents: [{ role: "user", parts: [part] }] });

  const many = await one.post(WHOLE, { ...show({ text: "x" }), tools: [{ functionDeclarations }] });
  const large = await one.post(WHOLE, show(image(12)));
  const tooLarge = await one.post(WHOLE, show(image(20)));

  expect([many.status, large.status, tooLarge.status]).toEqual([200, 200, 413]);
  expect(await tooLarge.json()).toMatchObject({
    error: { code: 413, message: expect.any(String) },
  });
  expect(one.sent(0).tools).toHaveLength(10_000);
});
