/** The unmodified OpenAI and Anthropic SDKs against an upstream that supports only the Gemini API. */
import { describe, expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { sharedKit } from "../kit/kit.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import type { Script } from "../kit/upstream.ts";

const kit = sharedKit();
const EVENTS = { "content-type": "text/event-stream" };

async function start(script: Script) {
  const models = { map: { "gpt-*": "gemini-3-pro", "claude-*": "gemini-3-pro" } };
  const attach = { provider: "google", capabilities: ["generate_content"], models };
  const one = await startConsumer(await kit(), [attach], [script]);
  const openai = new OpenAI({ baseURL: `${one.url}/v1`, apiKey: one.key, maxRetries: 0 });
  const anthropic = new Anthropic({ baseURL: one.url, apiKey: one.key, maxRetries: 0 });
  const sent = (index: number) => JSON.parse(one.upstreams[0]?.hits[index]?.body.toString() ?? "");
  return { ...one, openai, anthropic, sent };
}

const schema = { type: "object", properties: { city: { type: "string" } } };
const chatAsk: OpenAI.ChatCompletionCreateParamsNonStreaming = {
  model: "gpt-5",
  messages: [
    { role: "developer", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "Paris and Rome?" },
        { type: "image_url", image_url: { url: "data:image/png;base64,aGk=" } },
        { type: "image_url", image_url: { url: "https://example.com/a.webp?x=1" } },
        { type: "input_audio", input_audio: { data: "aGk=", format: "wav" } },
      ],
    },
  ],
  tools: [{ type: "function", function: { name: "get_weather", parameters: schema } }],
  tool_choice: { type: "function", function: { name: "get_weather" } },
  reasoning_effort: "medium",
  max_completion_tokens: 500,
  stop: "END",
  response_format: { type: "json_schema", json_schema: { name: "x", schema } },
};
const messagesAsk: Anthropic.MessageCreateParamsNonStreaming = {
  model: "claude-sonnet-5",
  max_tokens: 500,
  system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
  messages: [{ role: "user", content: "Paris and Rome?" }],
  tools: [{ name: "get_weather", input_schema: { type: "object" } }],
  thinking: { type: "enabled", budget_tokens: 1024 },
};

const parts = [
  { text: "Two ", thought: true },
  { text: "cities.", thought: true },
  { text: "I look " },
  { text: "it up: é, 🌦." },
  { functionCall: { name: "get_weather", args: { city: "Paris" } }, thoughtSignature: "c2lnMQ==" },
  { functionCall: { name: "get_weather", args: {} } },
];
const frame = { responseId: "r1", modelVersion: "gemini-3-pro" };
const usageMetadata = {
  promptTokenCount: 90,
  cachedContentTokenCount: 60,
  candidatesTokenCount: 25,
  thoughtsTokenCount: 15,
  totalTokenCount: 130,
};
const content = (list: object[], more: object = {}) => ({
  candidates: [{ content: { role: "model", parts: list }, index: 0, ...more }],
  ...frame,
});
const whole = { ...content(parts, { finishReason: "STOP" }), usageMetadata };
const sse = [
  ...parts.map((part) => content([part])),
  { ...content([{ text: "" }], { finishReason: "STOP" }), usageMetadata },
]
  .map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`)
  .join("");
const toBytes = (text: string) => [...Buffer.from(text)].map((byte) => Buffer.from([byte]));
const script: Script = ({ path }, count) =>
  path.includes(":stream")
    ? { headers: EVENTS, chunks: count === 2 ? [sse] : toBytes(sse) }
    : { body: whole };

describe("chat completions", () => {
  test("are sent as content, and the response is a chat completion", async () => {
    await using one = await start({ body: whole });

    const { choices, usage, model } = await one.openai.chat.completions.create(chatAsk);

    const [hit] = one.upstreams[0]?.hits ?? [];
    expect(hit?.path).toBe("/models/gemini-3-pro:generateContent");
    expect(hit?.headers["x-goog-api-key"]).toStartWith("sk-upstream");
    expect(one.sent(0)).toEqual({
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [
        {
          role: "user",
          parts: [
            { text: "Paris and Rome?" },
            { inlineData: { mimeType: "image/png", data: "aGk=" } },
            { fileData: { mimeType: "image/webp", fileUri: "https://example.com/a.webp?x=1" } },
            { inlineData: { mimeType: "audio/wav", data: "aGk=" } },
          ],
        },
      ],
      tools: [{ functionDeclarations: [{ name: "get_weather", parametersJsonSchema: schema }] }],
      toolConfig: {
        functionCallingConfig: { mode: "ANY", allowedFunctionNames: ["get_weather"] },
      },
      generationConfig: {
        maxOutputTokens: 500,
        stopSequences: ["END"],
        responseMimeType: "application/json",
        responseJsonSchema: schema,
        thinkingConfig: { thinkingBudget: 250 },
      },
    });
    expect(model).toBe("gpt-5");
    expect(choices).toMatchObject([
      {
        message: {
          content: "I look it up: é, 🌦.",
          reasoning_content: "Two cities.",
          tool_calls: [
            { function: { name: "get_weather", arguments: '{"city":"Paris"}' } },
            { id: "call_r1_1", function: { name: "get_weather", arguments: "{}" } },
          ],
        },
        finish_reason: "tool_calls",
      },
    ]);
    expect(usage).toMatchObject({
      prompt_tokens: 90,
      completion_tokens: 40,
      prompt_tokens_details: { cached_tokens: 60 },
      completion_tokens_details: { reasoning_tokens: 15 },
    });
  });

  test("stream the same message as the whole one, for chunks of any size", async () => {
    await using one = await start(script);
    const expected = await one.openai.chat.completions.create(chatAsk);

    for (let round = 0; round < 2; round++) {
      const stream = one.openai.chat.completions.stream({
        ...chatAsk,
        stream: true,
        response_format: { type: "text" },
        stream_options: { include_usage: true },
      });
      const { choices, usage } = await stream.finalChatCompletion();
      const { tool_calls, content: text } = expected.choices[0]?.message ?? {};
      expect(choices[0]).toMatchObject({
        finish_reason: "tool_calls",
        message: { content: text, tool_calls },
      });
      expect(usage).toEqual(expected.usage);
    }
    expect(one.upstreams[0]?.hits.at(-1)?.query).toBe("?alt=sse");
  });

  test("return the signatures of calls to the upstream, with the results in the order of the calls", async () => {
    await using one = await start({ body: whole });
    const first = await one.openai.chat.completions.create(chatAsk);
    const message = first.choices[0]?.message;
    const [paris, other] = message?.tool_calls ?? [];

    await one.openai.chat.completions.create({
      ...chatAsk,
      messages: [
        ...chatAsk.messages,
        ...(message ? [message] : []),
        { role: "tool", tool_call_id: other?.id ?? "", content: "rain" },
        { role: "tool", tool_call_id: paris?.id ?? "", content: "sunny" },
      ],
    });

    const result = (output: string) => ({
      functionResponse: { name: "get_weather", response: { output } },
    });
    expect(one.sent(1).contents.slice(1)).toEqual([
      { role: "model", parts: [{ text: "I look it up: é, 🌦." }, ...parts.slice(4)] },
      { role: "user", parts: [result("sunny"), result("rain")] },
    ]);
  });
});

describe("messages", () => {
  test("are sent as content, and stream the same message as the whole one", async () => {
    await using one = await start(script);

    const expected = await one.anthropic.messages.create(messagesAsk);
    const streamed = [];
    for (let round = 0; round < 2; round++) {
      streamed.push(await one.anthropic.messages.stream(messagesAsk).finalMessage());
    }

    expect(one.sent(0)).toEqual({
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [{ role: "user", parts: [{ text: "Paris and Rome?" }] }],
      tools: [
        {
          functionDeclarations: [{ name: "get_weather", parametersJsonSchema: { type: "object" } }],
        },
      ],
      generationConfig: {
        maxOutputTokens: 500,
        thinkingConfig: { thinkingBudget: 1024, includeThoughts: true },
      },
    });
    expect(expected).toMatchObject({
      content: [
        { type: "thinking", thinking: "Two cities." },
        { type: "text", text: "I look it up: é, 🌦." },
        { type: "tool_use", name: "get_weather", input: { city: "Paris" } },
        { type: "tool_use", name: "get_weather", input: {} },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 30, cache_read_input_tokens: 60, output_tokens: 40 },
    });
    for (const { content: blocks, stop_reason } of streamed) {
      expect(blocks as unknown[]).toEqual(expected.content);
      expect(stop_reason).toBe("tool_use");
    }
  });

  test("return results with images and errors", async () => {
    await using one = await start({ body: whole });
    const { content: blocks } = await one.anthropic.messages.create(messagesAsk);
    const [one_id, two_id] = blocks.flatMap((block) =>
      block.type === "tool_use" ? [block.id] : [],
    );

    await one.anthropic.messages.create({
      ...messagesAsk,
      messages: [
        ...messagesAsk.messages,
        { role: "assistant", content: blocks },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: one_id ?? "",
              content: [
                { type: "text", text: "a map" },
                {
                  type: "image",
                  source: { type: "base64", media_type: "image/png", data: "aGk=" },
                },
              ],
            },
            { type: "tool_result", tool_use_id: two_id ?? "", content: "no city", is_error: true },
            { type: "text", text: "Well?" },
          ],
        },
      ],
    });

    const [, model, user] = one.sent(1).contents;
    expect(model.parts.at(-2)).toEqual(parts[4]);
    expect(user.parts).toEqual([
      { functionResponse: { name: "get_weather", response: { output: "a map" } } },
      { functionResponse: { name: "get_weather", response: { error: "no city" } } },
      { inlineData: { mimeType: "image/png", data: "aGk=" } },
      { text: "Well?" },
    ]);
  });
});

test.each([
  ["gemini-3-pro", true, { thinkingBudget: 128 }],
  ["gemini-2.5-pro", false, { thinkingBudget: 128 }],
  ["gemini-2.5-flash", false, { thinkingBudget: 0 }],
  ["gemini-2.0-flash", false, undefined],
])("%s accepts a call of another model, and disabled thinking", async (model, isSigned, config) => {
  const attach = { provider: "google", capabilities: ["generate_content"] };
  await using one = await startConsumer(await kit(), [attach], [{ body: whole }]);
  const call = (id: string) => ({ type: "tool_use", id, name: "get_weather", input: {} });
  const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "x" });

  await one.post("/v1/messages", {
    ...messagesAsk,
    model,
    thinking: { type: "disabled" },
    messages: [
      ...messagesAsk.messages,
      { role: "assistant", content: [call("t1"), call("t2")] },
      { role: "user", content: [result("t1"), result("t2")] },
    ],
  });

  const { contents, generationConfig } = JSON.parse(
    one.upstreams[0]?.hits[0]?.body.toString() ?? "",
  );
  const signatures = contents[1].parts.map(
    (part: Record<string, unknown>) => part.thoughtSignature,
  );
  expect(signatures).toEqual([
    isSigned ? "skip_thought_signature_validator" : undefined,
    undefined,
  ]);
  expect(generationConfig.thinkingConfig).toEqual(config);
});

test.each([
  ["STOP", "stop"],
  ["MAX_TOKENS", "length"],
  ["SAFETY", "content_filter"],
  ["RECITATION", "content_filter"],
  ["PROHIBITED_CONTENT", "content_filter"],
  ["SPII", "content_filter"],
  ["BLOCKLIST", "content_filter"],
  ["OTHER", "content_filter"],
])("the finish reason %s is %s", async (finishReason, expected) => {
  await using one = await start({ body: content([{ text: "x" }], { finishReason }) });

  const { choices } = await one.openai.chat.completions.create(chatAsk);

  expect(choices[0]?.finish_reason).toBe(expected as "stop");
});

test("a blocked prompt is a filtered response", async () => {
  await using one = await start({ body: { promptFeedback: { blockReason: "SAFETY" }, ...frame } });

  const { choices } = await one.openai.chat.completions.create(chatAsk);

  expect(choices[0]).toMatchObject({ finish_reason: "content_filter", message: { content: null } });
});

describe("an invalid response is an error", () => {
  test.each([
    ["content of an unknown type", content([{ executableCode: {} }], { finishReason: "STOP" })],
    ["a malformed call", content([], { finishReason: "MALFORMED_FUNCTION_CALL" })],
    ["no candidates", { ...frame }],
    ["a call in parts", content([{ functionCall: { name: "x", willContinue: true } }])],
  ])("%s, whole and streamed", async (_, body) => {
    const text = `data: ${JSON.stringify(body)}\n\n`;
    await using one = await start(({ path }) =>
      path.includes(":stream") ? { headers: EVENTS, chunks: [text] } : { body },
    );

    const reply = await one.post("/v1/chat/completions", chatAsk);
    const streamed = await one.post("/v1/chat/completions", { ...chatAsk, stream: true });

    expect(reply.status).toBe(502);
    expect(await streamed.text()).toContain('"error"');
  });

  test("a stream without a finish reason", async () => {
    const text = `data: ${JSON.stringify(content([{ text: "Hel" }]))}\n\n`;
    await using one = await start({ headers: EVENTS, chunks: [text] });

    const streamed = await one.post("/v1/messages", { ...messagesAsk, stream: true });

    const body = await streamed.text();
    expect(body).toContain("Hel");
    expect(body).toContain("event: error");
  });

  test("an error of the API keeps its status, message and name", async () => {
    const error = { code: 429, message: "Quota.", status: "RESOURCE_EXHAUSTED" };
    await using one = await start({ status: 429, body: { error } });

    const thrown = await one.openai.chat.completions.create(chatAsk).catch((caught) => caught);

    expect(thrown).toMatchObject({
      status: 429,
      code: "RESOURCE_EXHAUSTED",
      error: { message: "Quota." },
    });
  });
});

test("a tool call whose arguments are not a JSON object is a 400 that names the message", async () => {
  await using one = await start({ body: whole });
  const call = { id: "c", type: "function", function: { name: "x", arguments: "{" } };

  const reply = await one.post("/v1/chat/completions", {
    model: "gpt-5",
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", tool_calls: [call] },
      { role: "tool", tool_call_id: "c", content: "x" },
    ],
  });

  expect(reply.status).toBe(400);
  expect(await reply.json()).toMatchObject({
    error: { param: expect.stringMatching(/^messages\W1\b/) },
  });
});
