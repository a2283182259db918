/** Search of files by id, ids that a path may contain, and query strings. */
import { expect, test } from "bun:test";
import { makeConsumer } from "../kit/dataplane.ts";
import { startFilesUpstream } from "../kit/files-upstream.ts";
import { sharedKit } from "../kit/kit.ts";
import { startUpstream } from "../kit/upstream.ts";

const kit = sharedKit();

const NOT_FOUND = { status: 404, body: { error: { message: "no such file" } } };

test.each(["xai", "openrouter", "mistral", "openai"])(
  "a file id that starts with `file_` is found at %s",
  async (provider) => {
    await using upstream = startUpstream({ body: { id: "file_1" } });
    const consumer = await makeConsumer(await kit(), [{ provider, url: upstream.url }]);

    const reply = await consumer.get("/v1/files/file_1");

    expect([reply.status, upstream.hits[0]?.path]).toEqual([200, "/files/file_1"]);
  },
);

test("the prefix of an id decides which registry is tried first, and a 404 leads to the others", async () => {
  await using xai = startUpstream({ body: { id: "file_1" } });
  await using anthropic = startUpstream(NOT_FOUND);
  const consumer = await makeConsumer(await kit(), [
    { provider: "xai", url: xai.url },
    { provider: "anthropic", url: anthropic.url },
  ]);

  const first = await consumer.get("/v1/files/file_1");
  const again = await consumer.get("/v1/files/file_1");

  expect([first.status, again.status]).toEqual([200, 200]);
  // The second request uses the hint of the first.
  expect([anthropic.hits.length, xai.hits.length]).toEqual([1, 2]);
});

test("a pin takes precedence over the prefix of an id", async () => {
  await using xai = startUpstream({ body: { id: "file_1" } });
  await using anthropic = startUpstream({ body: { id: "file_1" } });
  const consumer = await makeConsumer(await kit(), [
    { provider: "xai", url: xai.url },
    { provider: "anthropic", url: anthropic.url },
  ]);

  await consumer.get("/v1/files/file_1", { "x-ag-pin": "@xai" });

  expect([xai.hits.length, anthropic.hits.length]).toEqual([1, 0]);
});

test.each([
  ["a percent-escape", "file%2D1%3Aa"],
  ["a long id", `file-${"x".repeat(900)}`],
  ["other punctuation", "files+a=b@c,d"],
])("a file id with %s reaches the upstream unchanged", async (_, id) => {
  await using upstream = startUpstream();
  const consumer = await makeConsumer(await kit(), [{ provider: "openai", url: upstream.url }]);

  const reply = await consumer.get(`/v1/files/${id}/content`);

  expect([reply.status, upstream.hits[0]?.path]).toEqual([200, `/files/${id}/content`]);
});

test.each([
  "%2e%2e",
  "..",
  "a%2Fb",
  "a%5cb",
  "a%00",
  "a%",
  "a%ff",
  "a%252e",
  "a%20b",
  "x".repeat(1025),
])("the file id %s is a 404 and reaches no upstream", async (id) => {
  await using upstream = startUpstream();
  const consumer = await makeConsumer(await kit(), [{ provider: "openai", url: upstream.url }]);

  const reply = await consumer.get(`/v1/files/x/../${id}`.replace("x/../", ""));

  expect([reply.status, upstream.hits.length]).toEqual([404, 0]);
});

test("an own file is found by its decoded id", async () => {
  await using upstream = startFilesUpstream();
  const consumer = await makeConsumer(
    await kit(),
    [{ provider: "openai", url: `${upstream.url}/v1` }],
    { files_scope: "own" },
  );
  await consumer.form("/v1/files", [["file", "x", "a.txt"]]);

  expect((await consumer.get("/v1/files/file%2D2")).status).toBe(404);
  await consumer.get("/v1/files/file%2D1");

  expect(upstream.hits.at(-1)?.path).toBe("/v1/files/file%2D1");
});

test("Azure gets the query string byte for byte, with its own api-version", async () => {
  await using upstream = startUpstream({ body: { data: [] } });
  const consumer = await makeConsumer(await kit(), [{ provider: "azure", url: upstream.url }]);

  await consumer.get(
    "/v1/files?purpose=a%20b+c&x=%7e&api-version=1&&Api%2DVersion=2&api%2Dversion=%ff&order=a,b&flag",
  );

  expect(upstream.hits[0]?.query).toBe(
    "?purpose=a%20b+c&x=%7e&order=a,b&flag&api-version=2024-10-21",
  );
});
