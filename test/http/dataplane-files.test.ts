/** Files: upload, list, retrieve, download and delete (spec 4.6). */
import { expect, test } from "bun:test";
import {
  type Attach,
  FORM_TYPE,
  type FormPart,
  formBytes,
  makeConsumer,
} from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { type Script, startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();
const UPLOAD: FormPart[] = [
  ["purpose", "assistants"],
  ["file", '{"a":1}\n', "a.jsonl"],
];

async function setUp(
  attach: (url: string) => Attach[],
  script: Script = { body: { id: "file-1" } },
) {
  const upstream = startUpstream(script);
  const consumer = await makeConsumer(await kit(), attach(upstream.url));
  return { ...consumer, upstream, [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose]() };
}

const openai = (url: string): Attach[] => [{ provider: "openai", url: `${url}/v1` }];
const pathsOf = (upstream: { hits: { method: string; path: string; query: string }[] }) =>
  upstream.hits.map(({ method, path, query }) => `${method} ${path}${query}`);

test("4.6.3 an upload arrives byte for byte, and the upstream's id is returned", async () => {
  await using one = await setUp(openai);

  const reply = await one.form("/v1/files", UPLOAD);

  expect(await reply.json()).toEqual({ id: "file-1" });
  const [hit] = one.upstream.hits;
  expect(hit?.path).toBe("/v1/files");
  expect(hit?.body.equals(formBytes(UPLOAD))).toBe(true);
  expect(hit?.headers["content-type"]).toBe(FORM_TYPE);
});

test("4.6.1 lists keep their query, single files their method and path", async () => {
  await using one = await setUp(openai);

  await one.get("/v1/files?purpose=assistants&limit=2");
  await one.get("/v1/files/file-1");
  await one.call("/v1/files/file-1", { method: "DELETE" });

  expect(pathsOf(one.upstream)).toEqual([
    "GET /v1/files?purpose=assistants&limit=2",
    "GET /v1/files/file-1",
    "DELETE /v1/files/file-1",
  ]);
});

test("4.6.1 a download keeps its bytes and type", async () => {
  const bytes = Buffer.from([0, 1, 2, 255, 254, 10, 13]);
  await using one = await setUp(openai, {
    headers: { "content-type": "application/octet-stream" },
    body: bytes,
  });

  const reply = await one.get("/v1/files/file-1/content");

  expect(one.upstream.hits[0]?.path).toBe("/v1/files/file-1/content");
  expect(reply.headers.get("content-type")).toBe("application/octet-stream");
  expect(Buffer.from(await reply.bytes()).equals(bytes)).toBe(true);
});

test("4.6.1 Azure files use the resource path, and the client's query is added to the version", async () => {
  await using one = await setUp((url) => [{ provider: "azure", url }]);

  await one.get("/v1/files?purpose=batch&api-version=mine");
  await one.get("/v1/files/file-1/content");

  expect(pathsOf(one.upstream)).toEqual([
    "GET /openai/files?purpose=batch&api-version=2024-10-21",
    "GET /openai/files/file-1/content?api-version=2024-10-21",
  ]);
});

test.each([
  ["Mistral", "mistral", "/v1", "GET /v1/files?x=1"],
  ["xAI", "xai", "/v1", "GET /v1/files?x=1"],
  ["OpenRouter", "openrouter", "/api/v1", "GET /api/v1/files?x=1"],
])("4.6.1 %s gets files requests at its own path", async (_, provider, base, path) => {
  await using one = await setUp((url) => [{ provider, url: url + base }]);

  await one.get("/v1/files?x=1");

  expect(pathsOf(one.upstream)).toEqual([path]);
});

test("4.6.4 Anthropic gets its key and version headers, no beta, and keeps its format", async () => {
  const file = { id: "file_1", type: "file", mime_type: "text/plain", size_bytes: 3 };
  await using one = await setUp((url) => [{ provider: "anthropic", url: `${url}/v1` }], {
    body: file,
  });

  const reply = await one.get("/v1/files/file_1", { "anthropic-beta": "files-api-2025-04-14" });

  expect(await reply.json()).toEqual(file);
  const [hit] = one.upstream.hits;
  expect(hit?.path).toBe("/v1/files/file_1");
  expect(hit?.headers["x-api-key"]).toStartWith("sk-upstream");
  expect(hit?.headers["anthropic-version"]).toBe("2023-06-01");
  expect(hit?.headers["anthropic-beta"]).toBeUndefined();
  expect(hit?.headers.authorization).toBeUndefined();
});

test("4.6.5 kinds without files get no files requests", async () => {
  await using other = startUpstream();
  await using one = await setUp((url) => [
    { provider: "groq", url: other.url },
    { provider: "openai_compatible", url: other.url },
    { provider: "openai", url },
  ]);

  for (let n = 0; n < 4; n++) await one.get("/v1/files");

  expect([one.upstream.hits.length, other.hits.length]).toEqual([4, 0]);
});

test("4.6.1 the prefix of an id chooses the provider that is tried first", async () => {
  await using anthropic = startUpstream();
  await using one = await setUp((url) => [
    { provider: "openai", url },
    { provider: "anthropic", url: anthropic.url },
  ]);

  await one.get("/v1/files/file_abc");
  await one.get("/v1/files/file_abc/content");
  await one.call("/v1/files/file_abc", { method: "DELETE" });
  await one.get("/v1/files/file-abc");

  expect(pathsOf(anthropic)).toEqual([
    "GET /files/file_abc",
    "GET /files/file_abc/content",
    "DELETE /files/file_abc",
  ]);
  expect(pathsOf(one.upstream)).toEqual(["GET /files/file-abc"]);
});

test("4.7.4 a files request without a capable registry is a 503", async () => {
  await using one = await setUp((url) => [{ provider: "groq", url }]);

  const reply = await one.get("/v1/files");

  expect(reply.status).toBe(503);
  expect(await reply.text()).toContain("no_backend_available");
});

test("4.7.3 a JSON pin to a registry without files is a 400", async () => {
  await using other = startUpstream();
  await using one = await setUp((url) => [
    { provider: "openai", url },
    { provider: "groq", url: other.url },
  ]);

  const reply = await one.post("/v1/files", { model: "@groq/x" });

  expect(reply.status).toBe(400);
  expect(await reply.text()).toContain("does not support this capability");
  expect([one.upstream.hits.length, other.hits.length]).toEqual([0, 0]);
});

test.each([
  ["GET", "/v1/files/file-1/other", 404],
  ["GET", "/v1/files/file-1/content/more", 404],
  ["DELETE", "/v1/files", 400],
  ["PUT", "/v1/files/file-1", 400],
  ["POST", "/v1/files/file-1", 400],
  ["DELETE", "/v1/files/file-1/content", 400],
])("4.6.2 %s %s is a %d", async (method, path, status) => {
  await using one = await setUp(openai);

  const reply = await one.call(path, { method });

  expect(reply.status).toBe(status);
  expect(one.upstream.hits.length).toBe(0);
});

test.each(["%2e%2e", "..", "a%2Fb", "%2e%2e%2fmodels", "a%00b", "a b"])(
  "the file id %j is a 404 and never becomes part of a URL",
  async (id) => {
    await using one = await setUp(openai);

    const reply = await one.get(`/v1/files/${id}/content`);

    expect(reply.status).toBe(404);
    expect(one.upstream.hits.length).toBe(0);
  },
);

test("a file that one registry does not have is requested from the next", async () => {
  await using second = startUpstream({ body: { id: "file-9" } });
  await using one = await setUp(
    (url) => [
      { provider: "openai", url },
      { provider: "openai", url: second.url },
    ],
    { status: 404, body: { error: "no such file" } },
  );

  const reply = await one.get("/v1/files/file-9");
  const again = await one.get("/v1/files/file-9/content");

  expect([reply.status, again.status]).toEqual([200, 200]);
  // The second call goes directly to the registry that has the file.
  expect([one.upstream.hits.length, second.hits.length]).toEqual([1, 2]);
});

test("a file that no registry has is the 404 of the last upstream", async () => {
  await using second = startUpstream({ status: 404, body: { error: "second" } });
  await using one = await setUp(
    (url) => [
      { provider: "openai", url },
      { provider: "openai", url: second.url },
    ],
    { status: 404, body: { error: "first" } },
  );

  const reply = await one.get("/v1/files/file-9");

  expect(reply.status).toBe(404);
  expect(await reply.json()).toEqual({ error: "second" });
});

test("an error of one registry takes precedence over the 404 of another", async () => {
  await using second = startUpstream({ status: 404 });
  await using one = await setUp(
    (url) => [
      { provider: "openai", url },
      { provider: "openai", url: second.url },
    ],
    { status: 500, body: { error: "broken" } },
  );

  const reply = await one.get("/v1/files/file-9");

  expect(reply.status).toBe(500);
  expect(await reply.json()).toEqual({ error: "broken" });
});

test("uploads and lists of a consumer use one registry, and the location of an upload is remembered", async () => {
  await using second = startUpstream({ body: { id: "file-b" } });
  await using one = await setUp(
    (url) => [
      { provider: "openai", url },
      { provider: "openai", url: second.url },
    ],
    { body: { id: "file-a" } },
  );

  const { id } = (await (await one.form("/v1/files", UPLOAD)).json()) as { id: string };
  await one.get("/v1/files");
  await one.get("/v1/files");
  await one.get(`/v1/files/${id}`);

  expect([one.upstream.hits.length, second.hits.length].sort()).toEqual([0, 4]);
});

test("X-AG-Pin chooses a registry for requests without a model", async () => {
  await using second = startUpstream();
  await using one = await setUp((url) => [
    { provider: "openai", url, name: "first one" },
    { provider: "xai", url: second.url, name: "second one" },
  ]);

  await one.get("/v1/files", { "x-ag-pin": "second one" });
  await one.get("/v1/files", { "x-ag-pin": one.registries[1]?.id ?? "" });
  await one.get("/v1/files", { "x-ag-pin": "@XAI" });
  await one.form("/v1/files", UPLOAD, { "x-ag-pin": "@openai" });

  expect([one.upstream.hits.length, second.hits.length]).toEqual([1, 3]);
});

test("requests that use a file can be pinned to the registry of its upload", async () => {
  await using second = startUpstream({ body: { id: "file-2" } });
  await using one = await setUp((url) => [
    { provider: "openai", url },
    { provider: "openai", url: second.url },
  ]);
  const uploaded = await one.form("/v1/files", UPLOAD);
  const { id } = (await uploaded.json()) as { id: string };
  const pin = { "x-ag-pin": uploaded.headers.get("x-ag-registry") ?? "" };
  const ask = {
    model: "m",
    input: [{ role: "user", content: [{ type: "input_file", file_id: id }] }],
  };

  for (let n = 0; n < 4; n++) await one.post("/v1/responses", ask, pin);

  const [holder, other] = id === "file-1" ? [one.upstream, second] : [second, one.upstream];
  expect([holder.hits.length, other.hits.length]).toEqual([5, 0]);
});
