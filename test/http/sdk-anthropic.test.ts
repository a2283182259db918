/** The unmodified Anthropic SDK against the built-in demo provider and a recording upstream. */
import { describe, expect, test } from "bun:test";
import Anthropic, { toFile } from "@anthropic-ai/sdk";
import { makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { until } from "../kit/until.ts";
import { type Script, startUpstream } from "../kit/upstream.ts";
import { startLimited } from "../limiter/limited.ts";

const kit = sharedKit();
const ask = {
  model: "demo-chat",
  max_tokens: 100,
  messages: [{ role: "user" as const, content: "Say hello" }],
};

async function demo() {
  const one = await makeConsumer(await kit(), [{ provider: "demo", url: "" }]);
  return new Anthropic({ baseURL: one.url, apiKey: one.key });
}

async function recording(script: Script) {
  const upstream = startUpstream(script);
  const one = await makeConsumer(await kit(), [
    { provider: "anthropic", url: `${upstream.url}/v1` },
  ]);
  const client = new Anthropic({ baseURL: one.url, apiKey: one.key, maxRetries: 0 });
  return { client, upstream, [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose]() };
}

test("messages, whole and streamed", async () => {
  const client = await demo();

  const whole = await client.messages.create(ask);
  const streamed = await client.messages.stream(ask).finalMessage();

  const textOf = ({ content: [first] }: typeof whole) => first?.type === "text" && first.text;
  expect(textOf(whole)).toBeTruthy();
  expect(textOf(streamed)).toBe(textOf(whole));
  expect(streamed.usage.output_tokens).toBeGreaterThan(0);
});

test("messages reach the upstream with the registry's key, the fixed version and the client's beta", async () => {
  await using one = await recording({ body: { type: "message", content: [] } });

  await one.client.messages.create(ask, { headers: { "anthropic-beta": "some-beta" } });

  const [hit] = one.upstream.hits;
  expect(hit?.path).toBe("/v1/messages");
  expect(hit?.headers["x-api-key"]).toStartWith("sk-upstream");
  expect(hit?.headers["anthropic-version"]).toBe("2023-06-01");
  expect(hit?.headers["anthropic-beta"]).toBe("some-beta");
  expect(JSON.parse(hit?.body.toString() ?? "")).toEqual(ask);
});

test("models, page by page", async () => {
  const client = await demo();

  const ids: string[] = [];
  for await (const model of client.models.list({ limit: 2 })) ids.push(model.id);

  expect(ids).toContain("demo-chat");
  expect(ids).toEqual([...new Set(ids)].sort());
  expect(ids.length).toBeGreaterThan(2);
  expect(await client.models.retrieve("demo-chat")).toMatchObject({
    type: "model",
    id: "demo-chat",
  });
});

test("responses and errors have the request id where the client reads it", async () => {
  const client = await demo();

  const message = await client.messages.create(ask);
  const error = await client.messages
    .create({ ...ask, model: "@unknown/x" })
    .catch((thrown: unknown) => thrown);

  expect(message._request_id).toMatch(/^[0-9a-f-]{36}$/);
  expect(error).toMatchObject({ requestID: expect.stringMatching(/^[0-9a-f-]{36}$/) });
});

describe("an error of the gateway on /v1/messages has Anthropic's format", () => {
  const post = async (status: number, headers: Record<string, string>, body: object = ask) => {
    const one = await makeConsumer(await kit(), [{ provider: "demo", url: "" }]);
    const reply = await one.post("/v1/messages", body, headers);
    expect(reply.status).toBe(status);
    return { reply, body: (await reply.json()) as Record<string, unknown> };
  };

  test.each([
    [400, "invalid_request_error", {}, { ...ask, model: "@unknown/" }],
    [401, "authentication_error", { "x-ag-api-key": "ag_wrong" }, ask],
    [403, "permission_error", { "x-ag-pin": "@groq" }, ask],
  ])("%d is %s", async (status, type, headers, sent) => {
    const { reply, body } = await post(status, headers, sent);

    expect(body).toMatchObject({
      type: "error",
      error: { type, message: expect.any(String), code: expect.any(String) },
      request_id: reply.headers.get("x-request-id"),
    });
    expect(reply.headers.get("x-should-retry")).toBe("false");
  });

  test("404 for a path below it is not_found_error", async () => {
    const one = await makeConsumer(await kit(), [{ provider: "demo", url: "" }]);

    const reply = await one.post("/v1/messages/nothing", ask);

    expect(await reply.json()).toMatchObject({ type: "error", error: { type: "not_found_error" } });
  });

  test("429 is rate_limit_error with retry_after", async () => {
    await using limited = await startLimited(await kit(), {
      limits: { global: { limit: 1, window: "1h" } },
      actions: { type: "reject", retry_after: "60" },
    });
    await limited.ask();

    const reply = await limited.post("/v1/messages", ask);

    expect(reply.status).toBe(429);
    expect(reply.headers.get("retry-after")).toBe("60");
    expect(reply.headers.get("x-should-retry")).toBeNull();
    expect(await reply.json()).toMatchObject({
      type: "error",
      error: { type: "rate_limit_error", message: "global rate limit exceeded" },
      retry_after: "60",
    });
  });
});

test("the client does not retry with a wrong key or without a backend", async () => {
  const one = await makeConsumer(await kit(), []);
  const failure = (apiKey: string) => {
    const client = new Anthropic({ baseURL: one.url, apiKey, maxRetries: 2 });
    return client.messages.create(ask).catch((thrown: unknown) => thrown);
  };
  const events = async () => {
    const reply = await (await kit()).get(`/v1/gateways/${one.gateway.id}/requests`);
    return ((await reply.json()) as { items: object[] }).items.length;
  };

  expect(await failure("ag_wrong")).toMatchObject({
    status: 401,
    type: "authentication_error",
    message: expect.stringContaining("unknown, expired or revoked"),
  });
  expect(await failure(one.key)).toMatchObject({ status: 503, type: "api_error" });
  // One for each call: a rejected key is recorded too.
  await until(async () => (await events()) > 1);
  expect(await events()).toBe(2);
});

test("the query string of messages reaches the upstream", async () => {
  await using one = await recording({ body: { type: "message", content: [] } });

  await one.client.post("/v1/messages?beta=true", { body: ask });

  expect(one.upstream.hits[0]?.query).toBe("?beta=true");
});

test("files keep the provider's format, from upload to deletion", async () => {
  const file = { id: "file_1", type: "file", mime_type: "text/plain", size_bytes: 3 };
  await using one = await recording(({ method, path }) =>
    path.endsWith("/content")
      ? { body: "abc" }
      : {
          body: method === "GET" && path === "/v1/files" ? { data: [file], has_more: false } : file,
        },
  );
  const files = one.client.beta.files;

  const made = await files.upload({ file: await toFile(Buffer.from("abc"), "a.txt") });
  const found = await files.retrieveMetadata("file_1");
  const content = await (await files.download("file_1")).text();
  const listed = await files.list();
  await files.delete("file_1");

  expect(made).toMatchObject({ id: "file_1", mime_type: "text/plain" });
  expect(found).toMatchObject(file);
  expect(content).toBe("abc");
  expect(listed.data.length).toBe(1);
  expect(one.upstream.hits.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "POST /v1/files",
    "GET /v1/files/file_1",
    "GET /v1/files/file_1/content",
    "GET /v1/files",
    "DELETE /v1/files/file_1",
  ]);
  expect(one.upstream.hits.every(({ headers }) => !headers["anthropic-beta"])).toBe(true);
});

test("a stream that breaks off throws in the client", async () => {
  await using one = await recording({
    headers: { "content-type": "text/event-stream" },
    chunks: [
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"x","usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
      30,
    ],
    ending: "reset",
  });

  const read = one.client.messages.stream(ask).finalMessage();

  expect(read).rejects.toThrow("this response is incomplete");
});
