/** Every path of the demo upstream: keys, unknown paths, invalid bodies, shutdown. */
import { expect, test } from "bun:test";
import { startDemo } from "./start-demo.ts";

test("a request without a key is a 401 in the reference error shape", async () => {
  await using demo = startDemo();

  const responses = await Promise.all([
    demo.get("models", { headers: {} }),
    demo.get("nowhere", { headers: {} }),
    demo.get("models", { headers: { authorization: "Bearer " } }),
  ]);

  expect(responses.map(({ status }) => status)).toEqual([401, 401, 401]);
  expect(await responses[0]?.json()).toMatchObject({
    error: { type: "invalid_request_error", param: null, code: "invalid_api_key" },
  });
});

test("it listens on loopback only", async () => {
  await using demo = startDemo();

  expect(demo.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1$/);
});

test.each([
  ["POST", "nowhere"],
  ["GET", "chat/completions"],
  ["POST", "images"],
  ["POST", "images/generations/extra"],
  ["POST", "audio/translations"],
  ["GET", "files/file-1/other"],
  ["PUT", "files"],
])("%s /v1/%s is a 404", async (method, path) => {
  await using demo = startDemo();

  const response = await demo.get(path, { method });

  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ error: { code: "unknown_url", param: null } });
});

test.each([
  "chat/completions",
  "responses",
  "messages",
  "embeddings",
  "images/generations",
  "audio/speech",
])("malformed JSON to %s is a 400", async (path) => {
  await using demo = startDemo();

  const response = await demo.get(path, { method: "POST", body: '{"model": ' });

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error" } });
});

test.each([
  ["chat/completions", {}, "messages"],
  ["chat/completions", { messages: [] }, "messages"],
  ["chat/completions", { messages: [{ role: "king", content: "" }] }, "messages.0.role"],
  ["responses", {}, "input"],
  ["embeddings", {}, "input"],
  ["embeddings", { input: "" }, "input"],
  ["images/generations", {}, "prompt"],
  ["images/generations", { prompt: "a", n: 11 }, "n"],
  ["images/generations", { prompt: "a", size: "2048x2048" }, "size"],
  ["audio/speech", {}, "input"],
  ["audio/speech", { input: "a", response_format: "midi" }, "response_format"],
])("%s with %j is a 400 that names %s", async (path, body, param) => {
  await using demo = startDemo();

  const response = await demo.post(path, body);

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { param } });
});

const file = new File(["x"], "x.png");

test.each([
  ["images/edits", "image", { prompt: "a" }],
  ["images/edits", "prompt", { image: file }],
  ["images/variations", "image", { n: "1" }],
  ["audio/transcriptions", "file", { model: "m" }],
  ["files", "file", { purpose: "batch" }],
  ["files", "purpose", { file }],
])("the form %s without %s is a 400 that names it", async (path, param, fields) => {
  await using demo = startDemo();

  const response = await demo.form(path, fields);

  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { param } });
});

test("a JSON body with too many values is a 413, before it is validated", async () => {
  await using demo = startDemo();

  const response = await demo.post("chat/completions", { messages: Array(200_000).fill(1) });

  expect(response.status).toBe(413);
});

test("a JSON body over 16 MiB is a 413", async () => {
  await using demo = startDemo();

  const response = await demo.post("embeddings", { input: "x".repeat(17 * 1024 * 1024) });

  expect(response.status).toBe(413);
});

test("it lists its models and finds one by its name", async () => {
  await using demo = startDemo();

  const list = await (await demo.get("models")).json();
  const one = await (await demo.get("models/demo-chat")).json();
  const none = await demo.get("models/other");

  expect(list.object).toBe("list");
  expect(list.data.map(({ id }: { id: string }) => id)).toEqual([
    "demo-chat",
    "demo-embedding",
    "demo-image",
    "demo-moderation",
    "demo-speech",
    "demo-transcribe",
  ]);
  expect(one).toMatchObject({ id: "demo-chat", object: "model" });
  expect(none.status).toBe(404);
});

test("the port is closed after stop", async () => {
  const demo = startDemo();

  await demo[Symbol.asyncDispose]();

  expect(demo.get("models")).rejects.toThrow();
});
