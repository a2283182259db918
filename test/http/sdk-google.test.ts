/** The unmodified Google Gen AI SDK against the built-in demo provider and a recording upstream. */
import { describe, expect, test } from "bun:test";
import { FunctionCallingConfigMode, GoogleGenAI, Type } from "@google/genai";
import { type Attach, makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { until } from "../kit/until.ts";
import { type Script, startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();
const ASK = { contents: [{ role: "user", parts: [{ text: "Say hello" }] }] };
const GENERATE = "/v1beta/models/gemini-2.5-flash:generateContent";
const STREAM = "/v1beta/models/gemini-2.5-flash:streamGenerateContent";

const connect = ({ url, key }: { url: string; key: string }) =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });

async function demo() {
  return connect(await makeConsumer(await kit(), [{ provider: "demo", url: "" }]));
}

async function recording(script: Script, attach: Partial<Attach> = {}) {
  const upstream = startUpstream(script);
  const url = `${upstream.url}/v1beta/openai`;
  const one = await makeConsumer(await kit(), [{ provider: "google", url, ...attach }]);
  const dispose = () => upstream[Symbol.asyncDispose]();
  return { ...one, client: connect(one), upstream, [Symbol.asyncDispose]: dispose };
}

const reply = (text: string, more: object = {}) => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, index: 0, ...more }],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, thoughtsTokenCount: 2 },
});
const events = (...chunks: object[]): Script => ({
  headers: { "content-type": "text/event-stream" },
  chunks: chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`),
});

test("the demo generates content, whole and streamed", async () => {
  const client = await demo();
  const ask = { model: "demo-chat", contents: "Say hello" };

  const whole = await client.models.generateContent(ask);
  let text = "";
  for await (const chunk of await client.models.generateContentStream(ask)) text += chunk.text;
  const { totalTokens } = await client.models.countTokens(ask);

  expect(whole.text).toContain("You said: Say hello");
  expect(text).toBe(whole.text ?? "");
  expect(whole.usageMetadata?.promptTokenCount).toBe(totalTokens);
});

test("a client of the API version v1 generates content, lists models and reads errors", async () => {
  const { url, key } = await makeConsumer(await kit(), [{ provider: "demo", url: "" }]);
  const connectV1 = (apiKey: string) =>
    new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url, apiVersion: "v1" } });
  const client = connectV1(key);
  const ask = { model: "demo-chat", contents: "Say hello" };

  const whole = await client.models.generateContent(ask);
  let text = "";
  for await (const chunk of await client.models.generateContentStream(ask)) text += chunk.text;
  const { totalTokens } = await client.models.countTokens(ask);
  const names: (string | undefined)[] = [];
  for await (const { name } of await client.models.list()) names.push(name);
  const one = await client.models.get({ model: "demo-chat" });
  const refused = connectV1("ag_unknown").models.generateContent(ask);

  expect(whole.text).toContain("You said: Say hello");
  expect(text).toBe(whole.text ?? "");
  expect(whole.usageMetadata?.promptTokenCount).toBe(totalTokens);
  expect(names).toContain("models/demo-chat");
  expect(one.name).toBe("models/demo-chat");
  await expect(refused).rejects.toThrow(/"status":"UNAUTHENTICATED"/);
});

test("the demo calls functions and fills schemas", async () => {
  const client = await demo();
  const parameters = { type: Type.OBJECT, properties: { city: { type: Type.STRING } } };
  const config = {
    tools: [{ functionDeclarations: [{ name: "get_weather", parameters }] }],
    toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } },
  };

  const called = await client.models.generateContent({ model: "x", contents: "Hi", config });
  const json = await client.models.generateContent({
    model: "x",
    contents: "Hi",
    config: { responseMimeType: "application/json", responseSchema: parameters },
  });

  expect(called.functionCalls?.[0]).toMatchObject({
    name: "get_weather",
    args: { city: expect.any(String) },
  });
  expect(JSON.parse(json.text ?? "")).toEqual({ city: expect.any(String) });
});

test("the request reaches the native address unchanged, with the registry's key", async () => {
  await using one = await recording({ body: reply("Hello", { finishReason: "STOP" }) });
  const body = JSON.stringify({ ...ASK, safetySettings: [], x: 1.0 }).replace("1}", "1.0}");

  const { text } = await one.client.models.generateContent({ model: "gemini-2.5-pro", ...ASK });
  await one.post(`${GENERATE}?alt=json&prettyPrint=false`, body);

  const [first, second] = one.upstream.hits;
  expect(text).toBe("Hello");
  expect(first?.path).toBe("/v1beta/models/gemini-2.5-pro:generateContent");
  expect(first?.headers["x-goog-api-key"]).toStartWith("sk-upstream");
  expect(first?.headers.authorization).toBeUndefined();
  expect(second?.body.toString()).toBe(body);
  expect(second?.query).toBe("");
});

test("chat still uses the compatible endpoint with a bearer token", async () => {
  await using one = await recording({ body: {} });

  await one.post("/v1/chat/completions", { model: "m", messages: [] });

  const [hit] = one.upstream.hits;
  expect(hit?.path).toBe("/v1beta/openai/chat/completions");
  expect(hit?.headers.authorization).toStartWith("Bearer sk-upstream");
});

test("streams arrive chunk by chunk, and their usage is recorded", async () => {
  await using one = await recording(events(reply("Hel"), reply("lo", { finishReason: "STOP" })));

  const chunks = [];
  const stream = await one.client.models.generateContentStream({ model: "g", contents: "Hi" });
  for await (const chunk of stream) chunks.push(chunk.text);

  expect(chunks).toEqual(["Hel", "lo"]);
  expect(one.upstream.hits[0]?.query).toBe("?alt=sse");
  const { get } = await kit();
  let items: object[] = [];
  await until(async () => {
    const listed = await get(`/v1/gateways/${one.gateway.id}/requests`);
    ({ items } = (await listed.json()) as { items: object[] });
    return items.length > 0;
  });
  expect(items[0]).toMatchObject({
    endpoint: "generate_content.stream",
    model_asked: "g",
    input_tokens: 7,
    output_tokens: 5,
  });
});

test("without alt=sse a stream is a JSON array", async () => {
  const chunks = [reply("Hel"), reply("lo", { finishReason: "STOP" })];
  await using one = await recording(events(...chunks));

  const response = await one.post(STREAM, ASK);

  expect(response.headers.get("content-type")).toBe("application/json");
  expect(await response.json()).toEqual(chunks);
});

test("a stream that ends early ends with an error of Google's format", async () => {
  await using one = await recording(events(reply("Hel")));

  const text = await (await one.post(`${STREAM}?alt=sse`, ASK)).text();
  const array = await (await one.post(STREAM, ASK)).json();

  const error = { code: 500, status: "INTERNAL", message: expect.stringContaining("incomplete") };
  const last = text.trimEnd().split("\n\n").at(-1)?.slice("data: ".length) ?? "";
  expect(JSON.parse(last)).toMatchObject({ error });
  expect(array.at(-1)).toMatchObject({ error });
});

test("the model in the path follows the map, the allow-list, pins and auto", async () => {
  await using one = await recording(
    { body: reply("x") },
    { models: { allowed: ["fast", "team/x"], default: "fast", map: { fast: "gemini-2.5-flash" } } },
  );
  const send = async (model: string, headers: Record<string, string> = {}) =>
    (await one.post(`/v1beta/models/${model}:generateContent`, ASK, headers)).status;

  expect(await send("fast")).toBe(200);
  expect(await send("auto")).toBe(200);
  expect(await send("@google/fast")).toBe(200);
  expect(await send("%40google%2Ffast")).toBe(200);
  expect(await send("gemini-2.5-pro")).toBe(403);
  expect(await send("team/x")).toBe(400);
  expect(await send("fast", { "x-ag-pin": "@groq" })).toBe(403);

  const paths = new Set(one.upstream.hits.map(({ path }) => path));
  expect([...paths]).toEqual(["/v1beta/models/gemini-2.5-flash:generateContent"]);
});

test("explain routes a model in the path", async () => {
  await using one = await recording(
    { body: {} },
    { models: { map: { fast: "gemini-2.5-flash" } } },
  );
  const { call } = await kit();

  const path = "/v1beta/models/fast:streamGenerateContent";
  const explained = await (await call("POST", `${one.path}/explain`, { path })).json();

  expect(explained).toMatchObject({
    endpoint: "generate_content.stream",
    capability: "generate_content",
    refusal: null,
    registries: [
      {
        model: "gemini-2.5-flash",
        url: expect.stringContaining("/models/gemini-2.5-flash:streamGenerateContent?alt=sse"),
      },
    ],
  });
});

describe("errors have Google's format", () => {
  test.each([
    [400, "INVALID_ARGUMENT", "invalid_request", `${GENERATE}?key=AIza-secret`, {}, ASK],
    [400, "INVALID_ARGUMENT", "invalid_model", GENERATE, {}, { ...ASK, model: "models/other" }],
    [401, "UNAUTHENTICATED", "unauthorized", GENERATE, { "x-ag-api-key": "ag_wrong" }, ASK],
    [403, "PERMISSION_DENIED", "model_not_allowed", GENERATE, { "x-ag-pin": "@groq" }, ASK],
    [404, "NOT_FOUND", "not_found", "/v1beta/files", {}, ASK],
    [404, "NOT_FOUND", "not_found", "/v1beta/models/:generateContent", {}, ASK],
  ])("%d is %s with the code %s", async (code, status, reason, path, headers, body) => {
    const one = await makeConsumer(await kit(), [{ provider: "demo", url: "" }]);

    const refused = await one.post(path, body, headers);
    const text = await refused.text();

    expect(refused.status).toBe(code);
    expect(JSON.parse(text)).toMatchObject({
      error: { code, status, message: expect.any(String), details: [{ reason }] },
    });
    expect(text).not.toContain("AIza-secret");
    expect((await kit()).lines.join("\n")).not.toContain("AIza-secret");
  });

  test("the SDK throws them with their status", async () => {
    const client = await demo();

    const thrown = await client.models
      .generateContent({ model: "@unknown/x", contents: "Hi" })
      .catch((error: unknown) => error);

    expect(thrown).toMatchObject({ name: "ApiError", status: 403 });
  });
});

test("models are listed in pages, and one is returned by its name", async () => {
  const allowed = ["c", "a", "b"];
  await using one = await recording({ body: {} }, { models: { allowed } });

  const names = [];
  for await (const { name } of await one.client.models.list({ config: { pageSize: 2 } })) {
    names.push(name);
  }
  const model = await one.client.models.get({ model: "b" });

  expect(names).toEqual(["models/a", "models/b", "models/c"]);
  expect(model.name).toBe("models/b");
  expect((await one.get("/v1beta/models/zzz")).status).toBe(404);
});
