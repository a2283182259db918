/** Rules of translated requests: routing, guard, failover, events, and input that cannot be translated. */
import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import { makeDetector } from "../kit/guard.ts";
import { makeGuardedConsumer } from "../kit/inline-guard.ts";
import { type Kit, sharedKit, startKit } from "../kit/kit.ts";
import { startConsumer } from "../kit/start-consumer.ts";
import { until } from "../kit/until.ts";
import type { Script, UpstreamResponse } from "../kit/upstream.ts";

const kit = sharedKit();
const EVENTS = { "content-type": "text/event-stream" };
const MAIL = "jane.doe@example.com";

const ask = (content: unknown = "Hello", more: object = {}) => ({
  model: "claude-sonnet-5",
  max_tokens: 100,
  messages: [{ role: "user", content }],
  ...more,
});
const completion = (content: string) => ({
  id: "c1",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: { prompt_tokens: 70, completion_tokens: 5 },
});
const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "c1", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const stream = (...texts: string[]): UpstreamResponse => ({
  headers: EVENTS,
  chunks: [
    ...texts.map((content) => chunk({ content })),
    chunk({}, "stop"),
    `data: ${JSON.stringify({ choices: [], usage: completion("").usage })}\n\n`,
    "data: [DONE]\n\n",
  ],
});
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "Hi" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 7, output_tokens: 5 },
};

test("the guard evaluates the client's format in both directions, whole and streamed", async () => {
  const shared = await kit();
  const { id } = await makeDetector(shared, "data_loss_prevention");
  const rules = [{ detector_id: id, action: "transform" }];
  await using it = await makeGuardedConsumer(
    shared,
    { input_rules: rules, output_rules: rules },
    {
      script: (hit) =>
        JSON.parse(hit.body.toString()).stream
          ? stream("Write to jane.", "doe@example.com", " now.")
          : { body: completion(`Write to ${MAIL}`) },
    },
  );

  const whole = await it.post("/v1/messages", ask(`Mail ${MAIL}`));
  const streamed = await it.post("/v1/messages", ask(`Mail ${MAIL}`, { stream: true }));

  for (const [index, reply] of [whole, streamed].entries()) {
    const text = await reply.text();
    expect(reply.status).toBe(200);
    expect(text).toContain(index === 0 ? '"type":"message"' : "event: message_stop");
    expect(text).not.toContain("doe@example");
    const { path, body } = it.upstream.hits[index] ?? {};
    expect(path).toBe("/chat/completions");
    expect(body?.toString()).not.toContain(MAIL);
  }
});

/** A call of the tool `pay` in a request or a response, by format. The arguments are JSON text. */
const CALLS = {
  chat: (args: string) =>
    `{"role":"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":"pay","arguments":${JSON.stringify(args)}}}]}`,
  messages: (args: string) =>
    `{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"pay","input":${args}}]}`,
  gemini: (args: string) =>
    `{"role":"model","parts":[{"functionCall":{"name":"pay","args":${args}}}]}`,
};
const REQUESTS = {
  chat: (args: string) =>
    `{"model":"m","messages":[{"role":"user","content":"Go"},${CALLS.chat(args)},{"role":"tool","tool_call_id":"t1","content":"ok"}]}`,
  messages: (args: string) =>
    `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Go"},${CALLS.messages(args)},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}]}`,
  gemini: (args: string) =>
    `{"contents":[{"role":"user","parts":[{"text":"Go"}]},${CALLS.gemini(args)},{"role":"user","parts":[{"functionResponse":{"name":"pay","response":{"ok":true}}}]}]}`,
};
const RESPONSES = {
  chat: (args: string) =>
    `{"id":"c1","choices":[{"index":0,"message":${CALLS.chat(args)},"finish_reason":"tool_calls"}]}`,
  messages: (args: string) =>
    `{"id":"m1","type":"message",${CALLS.messages(args).slice(1, -1)},"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`,
  gemini: (args: string) =>
    `{"candidates":[{"content":${CALLS.gemini(args)},"finishReason":"STOP","index":0}]}`,
};

const CAPABILITIES = { chat: "chat", messages: "messages", gemini: "generate_content" };

test.each([
  ["messages", "/v1/messages", "chat", "openai_compatible"],
  ["gemini", "/v1beta/models/m:generateContent", "chat", "openai_compatible"],
  ["chat", "/v1/chat/completions", "messages", "anthropic"],
  ["chat", "/v1/chat/completions", "gemini", "google"],
  ["messages", "/v1/messages", "gemini", "google"],
] as const)(
  "long integers of tool calls in %s at %s are translated to %s of %s and back unchanged",
  async (client, path, format, provider) => {
    const body = RESPONSES[format]('{"to":98765432109876543}');
    const headers = { "content-type": "application/json" };
    await using it = await startConsumer(
      await kit(),
      [{ provider, capabilities: [CAPABILITIES[format]] }],
      [{ body, headers }],
    );

    const reply = await it.post(path, REQUESTS[client]('{"to":12345678901234567,"tag":5}'));

    const sent = it.upstreams[0]?.hits[0]?.body.toString().replaceAll("\\", "");
    expect(sent).toContain('{"to":12345678901234567,"tag":5}');
    expect((await reply.text()).replaceAll("\\", "")).toContain('{"to":98765432109876543}');
  },
);

test("a long integer that Vertex streams as a part of a call is translated unchanged", async () => {
  const call = '{"name":"pay","partialArgs":[{"jsonPath":"$.to","numberValue":98765432109876543}]}';
  const parts = `{"role":"model","parts":[{"functionCall":${call}}]}`;
  const body = `data: {"candidates":[{"content":${parts},"finishReason":"STOP","index":0}]}\n\n`;
  const headers = { "content-type": "text/event-stream" };
  await using it = await startConsumer(
    await kit(),
    [{ provider: "google", capabilities: ["generate_content"] }],
    [{ body, headers }],
  );

  const messages = [{ role: "user", content: "Go" }];
  const reply = await it.post("/v1/chat/completions", { model: "m", messages, stream: true });

  expect((await reply.text()).replaceAll("\\", "")).toContain('{"to":98765432109876543}');
});

test("failover goes from a registry of the client's format to a translated one", async () => {
  await using one = await startConsumer(
    await kit(),
    [
      { provider: "openai_compatible", models: { map: { "claude-*": "qwen3" } } },
      { provider: "anthropic" },
    ],
    [{ body: completion("Hi") }, { status: 503, body: { type: "error", error: {} } }],
  );

  const reply = await one.post("/v1/messages?beta=true", ask());

  expect(reply.status).toBe(200);
  expect(reply.headers.get("x-ag-registry")).toBe(one.registries[0]?.id ?? "");
  expect(reply.headers.get("x-selected-model")).toBe("qwen3");
  expect(await reply.json()).toMatchObject({ type: "message", model: "claude-sonnet-5" });
  expect(one.hits()).toEqual([1, 1]);
  expect(one.upstreams[0]?.hits[0]?.query).toBe("");
});

test("a candidate whose format cannot express the request is skipped", async () => {
  await using one = await startConsumer(
    await kit(),
    [{ provider: "anthropic" }, { provider: "openai_compatible" }],
    [
      {
        status: 529,
        body: { type: "error", error: { type: "overloaded_error", message: "Busy" } },
      },
    ],
  );
  const tools = [{ type: "web_search_20250305", name: "web_search" }];

  const reply = await one.post("/v1/messages", ask("Hello", { tools }));

  expect(reply.status).toBe(529);
  expect(await reply.json()).toMatchObject({ error: { message: "Busy" } });
  expect(one.hits()).toEqual([1, 0]);
});

test("the output limit is at most that of the model, and an older one gets no effort", async () => {
  await using one = await startConsumer(
    await kit(),
    [{ provider: "openai", models: { map: { "claude-*": "gpt-4o" } } }],
    [{ body: completion("Hi") }],
  );

  const output_config = { effort: "medium" };
  await one.post("/v1/messages", ask("Hello", { max_tokens: 64_000, output_config }));

  const sent = JSON.parse(one.upstreams[0]?.hits[0]?.body.toString() ?? "");
  expect(sent).toMatchObject({ model: "gpt-4o", max_completion_tokens: 16_384 });
  expect(sent).not.toHaveProperty("reasoning_effort");
});

test("a pin and a fallback model reach a translated registry", async () => {
  await using one = await startConsumer(
    await kit(),
    [
      { provider: "anthropic", models: { allowed: ["claude-sonnet-5"] } },
      { provider: "openai_compatible", models: { allowed: ["qwen3"] } },
    ],
    [{ status: 529, body: message }, { body: completion("Hi") }],
    { fallbacks: ["qwen3"] },
  );

  const fallback = await one.post("/v1/messages", ask());
  const pinned = await one.post(
    "/v1/messages",
    ask("Hello", { model: "@openai_compatible/qwen3" }),
  );

  expect([fallback.status, pinned.status]).toEqual([200, 200]);
  expect(fallback.headers.get("x-selected-model")).toBe("qwen3");
  expect(one.hits()).toEqual([1, 2]);
});

test("only registries whose capabilities include an API format are translated to, and only whole endpoints", async () => {
  await using one = await startConsumer(await kit(), [
    { provider: "openai_compatible", capabilities: ["embeddings"] },
  ]);

  const reply = await one.post("/v1/messages", ask());

  expect(reply.status).toBe(503);
  expect(await reply.json()).toMatchObject({ error: { code: "no_backend_available" } });
});

test("the event has the usage of a stream, also if the client does not request it", async () => {
  const shared = await kit();
  await using one = await startConsumer(
    shared,
    [{ provider: "anthropic", capabilities: ["messages"] }],
    [
      {
        headers: EVENTS,
        chunks: [
          { type: "message_start", message: { ...message, content: [] } },
          { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
          { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
          { type: "content_block_stop", index: 0 },
          {
            type: "message_delta",
            delta: { stop_reason: "end_turn" },
            usage: { output_tokens: 5, cache_read_input_tokens: 60 },
          },
          { type: "message_stop" },
        ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
      },
    ],
  );

  const body = { model: "m", stream: true, messages: [{ role: "user", content: "Hello" }] };
  const reply = await one.post("/v1/chat/completions", body);
  const text = await reply.text();

  expect(text).not.toContain("usage");
  const path = `/v1/gateways/${one.gateway.id}/requests?trace_id=${reply.headers.get("x-ag-trace-id")}`;
  let items: object[] = [];
  await until(async () => {
    items = ((await (await shared.call("GET", path)).json()) as { items: object[] }).items;
    return items.length > 0;
  });
  expect(items[0]).toMatchObject({ input_tokens: 67, output_tokens: 5, model_sent: "m" });
});

test.each<[string, Script, boolean]>([
  ["a compressed response", { headers: { "content-encoding": "gzip" }, body: "x" }, false],
  ["a response that is not JSON", { body: "Hello" }, false],
  ["a response without choices", { body: { choices: [] } }, false],
  ["a whole response to a stream", { body: completion("Hi") }, true],
  ["a stream that was not requested", stream("Hi"), false],
])("%s is a 502 in the client's format", async (_, script, isStream) => {
  await using one = await startConsumer(await kit(), [{ provider: "openai_compatible" }], [script]);

  const reply = await one.post("/v1/messages", ask("Hello", { stream: isStream }));

  expect(reply.status).toBe(502);
  expect(await reply.json()).toMatchObject({
    type: "error",
    error: { type: "api_error", code: "upstream_failed", message: expect.stringContaining("The") },
  });
});

test("an error inside of the upstream's stream is an error event for the client", async () => {
  const error = { message: "Overloaded.", code: 503 };
  await using one = await startConsumer(
    await kit(),
    [{ provider: "openai_compatible" }],
    [
      {
        headers: EVENTS,
        chunks: [chunk({ content: "Hel" }), `data: ${JSON.stringify({ error })}\n\n`],
      },
    ],
  );
  const client = new Anthropic({ baseURL: one.url, apiKey: one.key, maxRetries: 0 });

  const thrown = await client.messages
    .stream({ model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hello" }] })
    .finalMessage()
    .catch((caught: unknown) => caught);

  expect(thrown).toMatchObject({
    error: { error: { type: "overloaded_error", message: "Overloaded." } },
  });
});

test("content of a stream that has no equivalent is an error event that names its type", async () => {
  await using one = await startConsumer(
    await kit(),
    [{ provider: "openai_compatible" }],
    [{ headers: EVENTS, chunks: [chunk({ content: "Hel" }), chunk({ audio: { data: "AAAA" } })] }],
  );

  const reply = await one.post("/v1/messages", ask("Hello", { stream: true }));

  expect(await reply.text()).toEndWith(
    `${JSON.stringify({
      type: "error",
      error: {
        type: "api_error",
        message: "The upstream's response has content of the unsupported type audio.",
        code: "upstream_failed",
      },
      trace_id: reply.headers.get("x-ag-trace-id"),
    })}\n\n`,
  );
});

const image = (mebibytes: number) => {
  const data = "A".repeat(mebibytes * 1024 * 1024);
  return [{ type: "image", source: { type: "base64", media_type: "image/png", data } }];
};

test("an image of 20 MiB is a 413 that names the setting, and is translated with a higher limit", async () => {
  await using other = await startKit({ settings: { JSON_BODY_MIB: "32" } });
  const send = async (shared: Kit) => {
    await using one = await startConsumer(
      shared,
      [{ provider: "openai_compatible" }],
      [{ body: completion("Hi") }],
    );
    const reply = await one.post("/v1/messages", ask(image(20)));
    return { status: reply.status, body: await reply.json(), hits: one.hits() };
  };

  const rejected = await send(await kit());
  const accepted = await send(other);

  expect(rejected).toMatchObject({
    status: 413,
    hits: [0],
    body: {
      type: "error",
      error: {
        type: "request_too_large",
        message:
          "The body is larger than the 16 MiB allowed here. The setting JSON_BODY_MIB raises the limit.",
      },
    },
  });
  expect(accepted).toMatchObject({ status: 200, hits: [1] });
});

test("10,000 tools and an image of 12 MiB are translated", async () => {
  await using one = await startConsumer(
    await kit(),
    [{ provider: "openai_compatible" }],
    [{ body: completion("Hi") }],
  );
  const tools = Array.from({ length: 10_000 }, (_, index) => ({
    name: `tool_${index}`,
    input_schema: { type: "object" },
  }));

  const many = await one.post("/v1/messages", ask("Hello", { tools }));
  const large = await one.post("/v1/messages", ask(image(12)));

  expect([many.status, large.status]).toEqual([200, 200]);
  const [first, second] = one.upstreams[0]?.hits ?? [];
  expect(JSON.parse(first?.body.toString() ?? "").tools).toHaveLength(10_000);
  const [part] = JSON.parse(second?.body.toString() ?? "").messages[0].content;
  expect(part.image_url.url).toBe(`data:image/png;base64,${"A".repeat(12 * 1024 * 1024)}`);
});
