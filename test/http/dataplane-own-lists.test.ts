/** `files_scope: own`: the pagers of the official SDKs find the consumer's objects behind pages of others. */
import { expect, test } from "bun:test";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { addConsumer, makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { startUpstream, type UpstreamResponse } from "../kit/upstream.ts";

const kit = sharedKit();

/** Lists what was created, newest first unless `order=asc`, in pages of two as OpenAI and Anthropic do. */
function startPagingUpstream() {
  const ids: string[] = [];
  const list = (query: URLSearchParams, path: string): UpstreamResponse => {
    const limit = Number(query.get("limit") ?? 2);
    const ordered = query.get("order") === "asc" ? ids : ids.toReversed();
    const before = query.get("before_id");
    const after = query.get("after") ?? query.get("after_id");
    const end = before === null ? ordered.length : ordered.indexOf(before);
    const start = before === null ? ordered.indexOf(after ?? "") + 1 : Math.max(0, end - limit);
    const page = ordered.slice(start, Math.min(start + limit, end));
    const has_more = before === null ? start + page.length < end : start > 0;
    const format = path.endsWith("/messages/batches") ? {} : { object: "list" };
    const ends = { first_id: page[0] ?? null, last_id: page.at(-1) ?? null };
    return { body: { ...format, data: page.map((id) => ({ id })), ...ends, has_more } };
  };
  return startUpstream(({ method, path, query }) => {
    if (method !== "POST") return list(new URLSearchParams(query), path);
    const id = `file-x${ids.length}`;
    ids.push(id);
    return { body: { id } };
  });
}

/** Creates objects in order; `O` belongs to the consumer, `x` to another one. */
async function startLists(provider: "openai" | "anthropic", owners: string) {
  const upstream = startPagingUpstream();
  const attach = [{ provider, url: `${upstream.url}/v1` }];
  const own = await makeConsumer(await kit(), attach, { files_scope: "own" });
  const registries = own.registries.map(({ id }) => ({ id }));
  const other = await addConsumer(await kit(), own.gateway, [], {
    registries,
    files_scope: "own",
  });
  for (const owner of owners) {
    const consumer = owner === "O" ? own : other;
    if (provider === "anthropic") await consumer.post("/v1/messages/batches", { requests: [] });
    else await consumer.form("/v1/files", [["file", "a", "a.txt"]]);
  }
  const ownIds = [...owners].flatMap((owner, n) => (owner === "O" ? `file-x${n}` : []));
  return {
    ...{ own, other, upstream, ownIds },
    openai: new OpenAI({ baseURL: `${own.url}/v1`, apiKey: own.key, maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: own.url, apiKey: own.key, maxRetries: 0 }),
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
}

async function readIds(pages: AsyncIterable<{ id: string }>): Promise<string[]> {
  return (await Array.fromAsync(pages)).map(({ id }) => id);
}

test.each(["asc", "desc"] as const)(
  "the pager of the OpenAI SDK finds own files behind pages of others, order %s",
  async (order) => {
    await using it = await startLists("openai", "xxxxxOxxxxOOxxxxx");

    const listed = await readIds(it.openai.files.list({ order, limit: 2 }));

    expect(listed).toEqual(order === "asc" ? it.ownIds : it.ownIds.toReversed());
  },
);

test("the pager of the Anthropic SDK finds own batches behind pages of others, in both directions", async () => {
  await using it = await startLists("anthropic", "xxxxxOxxxxOOxxxxx");
  const { batches } = it.anthropic.messages;
  const newestFirst = it.ownIds.toReversed();

  const forward = await readIds(batches.list({ limit: 2 }));
  const backward = await readIds(batches.list({ limit: 2, before_id: it.ownIds[0] ?? "" }));

  expect(forward).toEqual(newestFirst);
  expect(backward.toSorted()).toEqual(it.ownIds.slice(1).toSorted());
});

test("a list without own objects ends after one request of the client", async () => {
  await using it = await startLists("openai", "xxxxx");

  const list = await (await it.own.get("/v1/files")).json();

  expect(list).toEqual({
    object: "list",
    data: [],
    first_id: null,
    last_id: null,
    has_more: false,
  });
});

test("a request reads at most 20 pages, and its cursor continues behind them for this consumer", async () => {
  await using it = await startLists("openai", `O${"x".repeat(25)}`);
  const sent = it.upstream.hits.length;

  const first = await (await it.own.get("/v1/files?limit=1")).json();
  const read = it.upstream.hits.length - sent;
  const query = new URLSearchParams({ limit: "1", after: first.last_id });
  const second = await (await it.own.get(`/v1/files?${query}`)).json();
  const refused = await it.other.get(`/v1/files?${query}`);

  expect(first).toMatchObject({ data: [], has_more: true });
  expect(JSON.stringify(first)).not.toContain("file-x");
  expect(read).toBe(20);
  expect(second).toMatchObject({ data: [{ id: "file-x0" }], has_more: false });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain("after: The cursor is not from a list of this consumer.");
});

test("an error on a later page is relayed", async () => {
  await using it = await startLists("openai", "Oxxx");
  const refused = { error: { message: "slow down" } };
  it.upstream.script(({ query }) =>
    query.includes("after")
      ? { status: 429, body: refused }
      : { body: { object: "list", data: [{ id: "file-x3" }], has_more: true } },
  );

  const reply = await it.own.get("/v1/files");

  expect([reply.status, await reply.json()]).toEqual([429, refused]);
});

test("a page that repeats ends the search, for an upstream that ignores cursors", async () => {
  await using it = await startLists("openai", "x");
  const sent = it.upstream.hits.length;
  it.upstream.script({ body: { object: "list", data: [{ id: "file-x0" }], has_more: true } });

  const list = await (await it.own.get("/v1/files")).json();

  expect(list).toMatchObject({ data: [] });
  expect(it.upstream.hits.length - sent).toBe(2);
});

test("a client that pages with opaque tokens pages on itself", async () => {
  await using it = await startLists("anthropic", "x");
  const list = { data: [{ id: "file-x0" }], has_more: true, next_page: "token2" };
  it.upstream.script(({ query }) => ({
    body: query.includes("token2") ? { data: [], next_page: null } : list,
  }));
  const sent = it.upstream.hits.length;

  const listed = await readIds(it.anthropic.beta.files.list({ page: "token1" }));

  expect(listed).toEqual([]);
  expect(it.upstream.hits.slice(sent).map(({ query }) => query)).toEqual([
    "?page=token1",
    "?page=token2",
  ]);
});
