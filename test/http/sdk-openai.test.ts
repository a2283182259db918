/** The unmodified OpenAI SDK against the built-in demo provider and recording upstreams. */
import { expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { type Script, startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();

/** Creates a client like its users, with only a base URL and a key. */
async function demo() {
  const one = await makeConsumer(await kit(), [{ provider: "demo", url: "" }]);
  return new OpenAI({ baseURL: `${one.url}/v1`, apiKey: one.key });
}

async function recording(script: Script) {
  const upstream = startUpstream(script);
  const one = await makeConsumer(await kit(), [{ provider: "openai", url: `${upstream.url}/v1` }]);
  const client = new OpenAI({ baseURL: `${one.url}/v1`, apiKey: one.key, maxRetries: 0 });
  return { client, upstream, [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose]() };
}

const messages = [{ role: "user" as const, content: "Say hello" }];

test("chat.completions, whole and streamed", async () => {
  const client = await demo();

  const whole = await client.chat.completions.create({ model: "demo-chat", messages });
  const stream = await client.chat.completions.create({
    model: "demo-chat",
    messages,
    stream: true,
  });
  let text = "";
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";

  expect(whole.choices[0]?.message.content).toBeTruthy();
  expect(text).toBe(whole.choices[0]?.message.content ?? "");
});

test("responses, whole and streamed", async () => {
  const client = await demo();

  const whole = await client.responses.create({ model: "demo-chat", input: "Say hello" });
  const stream = await client.responses.create({
    model: "demo-chat",
    input: "Say hello",
    stream: true,
  });
  const types: string[] = [];
  for await (const event of stream) types.push(event.type);

  expect(whole.output_text).toBeTruthy();
  expect(types[0]).toBe("response.created");
  expect(types.at(-1)).toBe("response.completed");
});

test("embeddings", async () => {
  const client = await demo();

  const { data } = await client.embeddings.create({ model: "demo-embedding", input: ["a", "b"] });

  expect(data.map(({ index }) => index)).toEqual([0, 1]);
  expect(data[0]?.embedding.length).toBeGreaterThan(8);
});

test("models", async () => {
  const one = await makeConsumer(await kit(), [
    { provider: "demo", url: "", models: { allowed: ["demo-chat", "demo-image"] } },
  ]);
  const client = new OpenAI({ baseURL: `${one.url}/v1`, apiKey: one.key });

  const ids: string[] = [];
  for await (const model of client.models.list()) ids.push(model.id);
  const single = await client.models.retrieve("demo-chat");

  expect(ids).toEqual(["demo-chat", "demo-image"]);
  expect(single.owned_by).toBe("demo");
});

test("images: generate, edit, vary", async () => {
  const client = await demo();
  const size = "256x256";
  const made = await client.images.generate({ model: "demo-image", prompt: "a gate", size });
  const png = Buffer.from(made.data?.[0]?.b64_json ?? "", "base64");
  const image = await toFile(png, "gate.png", { type: "image/png" });

  const edited = await client.images.edit({ model: "demo-image", image, prompt: "taller", size });
  const varied = await client.images.createVariation({ model: "demo-image", image, size });

  expect(png.subarray(1, 4).toString()).toBe("PNG");
  expect(edited.data?.length).toBe(1);
  expect(varied.data?.length).toBe(1);
});

test("audio: speech and transcription", async () => {
  const client = await demo();

  const speech = await client.audio.speech.create({
    model: "demo-speech",
    input: "hello",
    voice: "alloy",
    response_format: "wav",
  });
  const wav = Buffer.from(await speech.arrayBuffer());
  const { text } = await client.audio.transcriptions.create({
    model: "demo-transcribe",
    file: await toFile(wav, "hello.wav", { type: "audio/wav" }),
  });

  expect(speech.headers.get("content-type")).toStartWith("audio/");
  expect(wav.subarray(0, 4).toString()).toBe("RIFF");
  expect(text).toBeTruthy();
});

test("files: upload, list, retrieve, download, delete", async () => {
  const client = await demo();
  const content = '{"a":1}\n';

  const file = await client.files.create({
    file: await toFile(Buffer.from(content), "a.jsonl"),
    purpose: "assistants",
  });
  const listed: string[] = [];
  for await (const each of client.files.list({ purpose: "assistants" })) listed.push(each.id);
  const found = await client.files.retrieve(file.id);
  const downloaded = await (await client.files.content(file.id)).text();
  const removed = await client.files.delete(file.id);

  expect(listed).toContain(file.id);
  expect(found.filename).toBe("a.jsonl");
  expect(downloaded).toBe(content);
  expect(removed.deleted).toBe(true);
});

test("the client's request reaches the upstream, its key does not", async () => {
  await using one = await recording({ body: { id: "x", choices: [] } });

  await one.client.chat.completions.create(
    { model: "@openai/gpt-4o", messages, temperature: 0.1 },
    { headers: { "OpenAI-Beta": "assistants=v2", "X-Stainless-Lang": "js" } },
  );

  const [hit] = one.upstream.hits;
  expect(hit?.path).toBe("/v1/chat/completions");
  expect(JSON.parse(hit?.body.toString() ?? "")).toEqual({
    model: "gpt-4o",
    messages,
    temperature: 0.1,
  });
  expect(hit?.headers["openai-beta"]).toBe("assistants=v2");
  expect(hit?.headers["x-stainless-lang"]).toBeUndefined();
  expect(hit?.headers.authorization).toStartWith("Bearer sk-upstream");
});

test("a streamed upload arrives completely", async () => {
  await using one = await recording({ body: { id: "file-1" } });
  const content = Buffer.alloc(3 * 1024 * 1024, "0123456789");

  await one.client.files.create({ file: await toFile(content, "big.bin"), purpose: "user_data" });

  expect(one.upstream.hits[0]?.body.includes(content)).toBe(true);
});

test("errors of the gateway and of an upstream are instances of the client's error classes", async () => {
  await using one = await recording({
    status: 429,
    headers: { "retry-after": "3" },
    body: { error: { message: "slow down", type: "rate_limit_error", code: "rate_limit" } },
  });
  const ask = (model: string) => one.client.chat.completions.create({ model, messages });

  const ours = await ask("@groq/x").catch((thrown: unknown) => thrown);
  const theirs = await ask("gpt-4o").catch((thrown: unknown) => thrown);

  expect(ours).toBeInstanceOf(OpenAI.PermissionDeniedError);
  expect(ours).toMatchObject({ code: "model_not_allowed", type: "permission_error" });
  expect(theirs).toBeInstanceOf(OpenAI.RateLimitError);
  expect(theirs).toMatchObject({ code: "rate_limit", message: "429 slow down" });
});

test.each([
  [
    "the consumer is left out",
    (url: string) => `${new URL(url).origin}/v1`,
    "/{consumer}/v1/models",
  ],
  ["the version is left out", (url: string) => url, "/{consumer}/v1/"],
  ["the version is there twice", (url: string) => `${url}/v1/v1`, "/{consumer}/v1/"],
])("when %s, the client's error names the correct base URL", async (_, baseURL, expected) => {
  const one = await makeConsumer(await kit(), [{ provider: "demo", url: "" }]);
  const client = new OpenAI({ baseURL: baseURL(one.url), apiKey: one.key, maxRetries: 0 });

  const error = await client.models.list().catch((thrown: unknown) => thrown);

  expect(error).toBeInstanceOf(OpenAI.NotFoundError);
  expect(error).toMatchObject({
    code: "not_found",
    message: expect.stringContaining(expected),
    requestID: expect.any(String),
  });
});

test.each(["sk-some-other-key", "pa_an-admin-token", "pc_a-collector-key"])(
  "with %s instead, the client's error names the prefix of a consumer key",
  async (apiKey) => {
    const one = await makeConsumer(await kit(), [{ provider: "demo", url: "" }]);
    const client = new OpenAI({ baseURL: `${one.url}/v1`, apiKey });

    const error = await client.models.list().catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
    expect(error).toMatchObject({ message: expect.stringContaining("ag_") });
  },
);

test("a stream that breaks off throws in the client", async () => {
  await using one = await recording({
    headers: { "content-type": "text/event-stream" },
    chunks: ['data: {"choices":[{"delta":{"content":"a"}}]}\n\n', 30],
    ending: "reset",
  });
  const stream = await one.client.chat.completions.create({
    model: "x",
    messages,
    stream: true,
  });

  const read = (async () => {
    for await (const _ of stream);
  })();

  expect(read).rejects.toThrow("this response is incomplete");
});

test.each(["/v1/chat/completions", "/v1/responses", "/v1/embeddings"])(
  "the query string of %s reaches the upstream",
  async (path) => {
    const upstream = startUpstream({ body: {} });
    await using _ = upstream;
    const one = await makeConsumer(await kit(), [
      { provider: "openai", url: `${upstream.url}/v1` },
    ]);

    await one.post(`${path}?beta=true&a=b%20c`, { model: "m" });

    expect(upstream.hits[0]?.query).toBe("?beta=true&a=b%20c");
  },
);

test("a permanent rejection disables retries of the client", async () => {
  const one = await makeConsumer(await kit(), []);
  const retry = async (path: string, headers: Record<string, string> = {}) => {
    const reply = await one.post(path, { model: "m" }, headers);
    return [reply.status, reply.headers.get("x-should-retry")];
  };

  expect(await retry("/v1/chat/completions", { "x-ag-gateway-slug": "!" })).toEqual([400, "false"]);
  expect(await retry("/v1/chat/completions", { "x-ag-api-key": "ag_no" })).toEqual([401, "false"]);
  expect(await retry("/v1/nothing")).toEqual([404, "false"]);
  expect(await retry("/v1/chat/completions")).toEqual([503, "false"]);
});
