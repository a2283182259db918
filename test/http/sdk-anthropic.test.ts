/** The official client of provider A, unmodified, against the built-in demo provider and a recording upstream. */
import { expect, test } from "bun:test";
import Anthropic, { toFile } from "@anthropic-ai/sdk";
import { makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { type Script, startUpstream } from "../kit/upstream.ts";

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

test("answers and errors carry the request id where the client looks for it", async () => {
  const client = await demo();

  const answer = await client.messages.create(ask);
  const error = await client.messages
    .create({ ...ask, model: "@nobody/x" })
    .catch((thrown: unknown) => thrown);

  expect(answer._request_id).toMatch(/^[0-9a-f-]{36}$/);
  expect(error).toMatchObject({ requestID: expect.stringMatching(/^[0-9a-f-]{36}$/) });
});

test("4.6 files keep the provider's own shape, upload to deletion", async () => {
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

test("a stream that breaks off throws at the client", async () => {
  await using one = await recording({
    headers: { "content-type": "text/event-stream" },
    chunks: [
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"x","usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
      30,
    ],
    ending: "reset",
  });

  const read = one.client.messages.stream(ask).finalMessage();

  expect(read).rejects.toThrow("The upstream broke off");
});
