/** Downloads keep their ranges and names; query strings are forwarded and byte order marks skipped. */
import { expect, test } from "bun:test";
import { FORM_TYPE, formBytes, makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();
const CONTENT = "0123456789".repeat(20_000);
const DOWNLOAD_HEADERS = {
  "content-type": "text/plain",
  "content-disposition": 'attachment; filename="a.txt"',
  "accept-ranges": "bytes",
  etag: '"v1"',
  "last-modified": "Mon, 02 Jan 2023 00:00:00 GMT",
};

async function setUp(provider = "openai") {
  const upstream = startUpstream();
  const consumer = await makeConsumer(await kit(), [{ provider, url: upstream.url }]);
  return { ...consumer, upstream, [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose]() };
}

test.each([
  ["small", "hello"],
  ["large", CONTENT],
])("a %s download keeps its name, length, version and type", async (_, body) => {
  await using one = await setUp();
  one.upstream.script({ headers: DOWNLOAD_HEADERS, body });

  const reply = await one.get("/v1/files/file-1/content");

  expect(Object.fromEntries(reply.headers)).toMatchObject(DOWNLOAD_HEADERS);
  expect(reply.headers.get("content-length")).toBe(String(body.length));
  expect(reply.headers.get("transfer-encoding")).toBeNull();
  expect(await reply.text()).toBe(body);
});

test("a range of a download is forwarded with its condition, and returned as a 206", async () => {
  await using one = await setUp();
  one.upstream.script({
    status: 206,
    headers: { ...DOWNLOAD_HEADERS, "content-range": `bytes 5-9/${CONTENT.length}` },
    body: "56789",
  });

  const reply = await one.get("/v1/files/file-1/content", {
    range: "bytes=5-9",
    "if-range": '"v1"',
  });

  expect(one.upstream.hits[0]?.headers).toMatchObject({ range: "bytes=5-9", "if-range": '"v1"' });
  expect([reply.status, reply.headers.get("content-range")]).toEqual([
    206,
    `bytes 5-9/${CONTENT.length}`,
  ]);
  expect(await reply.text()).toBe("56789");
});

test("a range that cannot be satisfied returns the length of the file", async () => {
  await using one = await setUp();
  one.upstream.script({ status: 416, headers: { "content-range": "bytes */5" }, body: "" });

  const reply = await one.get("/v1/files/file-1/content", { range: "bytes=9-" });

  expect([reply.status, reply.headers.get("content-range")]).toEqual([416, "bytes */5"]);
});

test("a range is ignored on other endpoints", async () => {
  await using one = await setUp();

  await one.get("/v1/files/file-1", { range: "bytes=0-1" });
  await one.post("/v1/chat/completions", { model: "m" }, { range: "bytes=0-1" });

  expect(one.upstream.hits.map(({ headers }) => headers.range)).toEqual([undefined, undefined]);
});

test("the query string of images and audio reaches the upstream", async () => {
  await using one = await setUp();
  await using azure = await setUp("azure");
  const form = {
    method: "POST",
    headers: { "content-type": FORM_TYPE },
    body: formBytes([["model", "m"]]),
  };

  await one.post("/v1/images/generations?a=1%20", { model: "m" });
  await one.post("/v1/audio/speech?a=2", { model: "m" });
  await one.call("/v1/audio/transcriptions?a=3", form);
  await azure.call("/v1/images/edits?a=4", form);

  expect(one.upstream.hits.map(({ query }) => query)).toEqual(["?a=1%20", "?a=2", "?a=3"]);
  expect(azure.upstream.hits[0]?.query).toBe("?a=4&api-version=2024-10-21");
});

test("a byte order mark before a JSON body is skipped", async () => {
  await using one = await setUp();

  const reply = await one.post("/v1/chat/completions", '\ufeff{"model":"m","messages":[]}');

  expect(reply.status).toBe(200);
  expect(one.upstream.hits[0]?.body.toString()).toBe('{"model":"m","messages":[]}');
});

test("a request that no registry can serve is not logged as an error", async () => {
  await using one = await setUp("groq");

  const reply = await one.get("/v1/files");

  const line = (await kit()).lines
    .map((text) => JSON.parse(text) as { trace_id?: string; level: string; error?: unknown })
    .find(({ trace_id }) => trace_id === reply.headers.get("x-ag-trace-id"));
  expect([reply.status, line?.level, line?.error]).toEqual([503, "info", undefined]);
});
