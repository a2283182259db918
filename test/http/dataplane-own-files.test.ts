/** `files_scope: own`: a consumer sees only the files it uploaded (spec 4.6). */
import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Explanation } from "../../src/contract/gateway/explain.ts";
import { sqliteFile } from "../../src/db/sqlite.ts";
import { startCuttableProxy } from "../kit/cuttable-proxy.ts";
import { type Attach, addConsumer, type FormPart, makeConsumer } from "../kit/dataplane.ts";
import { startFilesUpstream } from "../kit/files-upstream.ts";
import { type Kit, sharedKit, startKit } from "../kit/kit.ts";
import { databaseKinds, freshDatabase } from "../kit/services.ts";
import { until } from "../kit/until.ts";
import { type Script, startUpstream } from "../kit/upstream.ts";

const UPLOAD: FormPart[] = [
  ["purpose", "assistants"],
  ["file", '{"a":1}\n', "a.jsonl"],
];
const PROMISE_MS = 1000;

interface Caller {
  slug: string;
  key: string;
}

/** Files requests of a consumer, to any node. */
function filesOf(node: Pick<Kit, "url">, { slug, key }: Caller) {
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${node.url}/${slug}/v1/files${path}`, { ...init, headers: { "x-ag-api-key": key } });
  const form = () => {
    const body = new FormData();
    body.set("purpose", "assistants");
    body.set("file", new File(["a"], "a.txt"));
    return body;
  };
  return {
    upload: async () => {
      const reply = await call("", { method: "POST", body: form() });
      expect(reply.status).toBe(200);
      return ((await reply.json()) as { id: string }).id;
    },
    list: async () => {
      const { data } = (await (await call("")).json()) as { data: { id: string }[] };
      return data.map(({ id }) => id);
    },
    get: (id: string) => call(`/${id}`),
    content: (id: string) => call(`/${id}/content`),
    remove: (id: string) => call(`/${id}`, { method: "DELETE" }),
  };
}

/** Creates two consumers with own scope and one with shared scope, at the same registries. */
async function threeConsumers(kit: Kit, attach: Attach[]) {
  const a = await makeConsumer(kit, attach, { files_scope: "own" });
  const registries = a.registries.map(({ id }) => ({ id }));
  const b = await addConsumer(kit, a.gateway, [], { registries, files_scope: "own" });
  const all = await addConsumer(kit, a.gateway, [], { registries, files_scope: "shared" });
  return { a, b, all };
}

const openai = ({ url }: { url: string }): Attach[] => [{ provider: "openai", url: `${url}/v1` }];
const rowsOf = (kit: Pick<Kit, "db">) =>
  kit.db.many("SELECT file_id, registry_id, consumer_id FROM owned_files ORDER BY file_id");

describe.each(databaseKinds)("%s", (kind) => {
  const kit = sharedKit({ database: kind });

  test("4.6.3 own: another consumer's file is a 404 like an unknown one, and reaches no upstream", async () => {
    await using upstream = startFilesUpstream();
    const { a, b } = await threeConsumers(await kit(), openai(upstream));
    const [mine, others] = [filesOf(await kit(), b), filesOf(await kit(), a)];
    const id = await others.upload();

    const replies = [await mine.get(id), await mine.content(id), await mine.remove(id)];
    const never = await mine.get("file-that-never-was");

    expect([...replies, never].map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    const { error } = (await never.json()) as { error: { code: string; type: string } };
    expect(error).toMatchObject({ code: "not_found", type: "not_found_error" });
    for (const reply of replies) expect(await reply.json()).toMatchObject({ error });
    expect(upstream.hits.length).toBe(1);
  });

  test("4.6.3 own: the consumer that uploaded a file can list, download and delete it", async () => {
    await using upstream = startFilesUpstream();
    const { a } = await threeConsumers(await kit(), openai(upstream));
    const files = filesOf(await kit(), a);
    const id = await files.upload();

    const seen = await files.get(id);
    const content = await files.content(id);
    const deleted = await files.remove(id);

    expect(await seen.json()).toMatchObject({ id });
    expect(await content.text()).toBe(`content of ${id}`);
    expect(await deleted.json()).toMatchObject({ id, deleted: true });
    expect(upstream.hits.length).toBe(4);
  });

  test("4.6.3 own: a list contains the consumer's own files and their ids, its other members are the upstream's", async () => {
    await using upstream = startFilesUpstream();
    const { a, b, all } = await threeConsumers(await kit(), openai(upstream));
    await filesOf(await kit(), a).upload();
    await filesOf(await kit(), b).upload();
    await filesOf(await kit(), a).upload();

    const list = (await (await b.get("/v1/files?limit=9")).json()) as unknown;

    expect(list).toEqual({
      object: "list",
      data: [{ id: "file-2", object: "file", purpose: "assistants" }],
      first_id: "file-2",
      last_id: "file-2",
      has_more: true,
    });
    expect(upstream.hits.at(-1)?.query).toBe("?limit=9");
    expect(await filesOf(await kit(), a).list()).toEqual(["file-1", "file-3"]);
    expect(await filesOf(await kit(), all).list()).toEqual(["file-1", "file-2", "file-3"]);
  });

  test("4.6.3 shared: every file of the account can be listed, downloaded and deleted", async () => {
    await using upstream = startFilesUpstream();
    const { a, all } = await threeConsumers(await kit(), openai(upstream));
    const id = await filesOf(await kit(), a).upload();
    const files = filesOf(await kit(), all);

    const replies = [await files.get(id), await files.content(id), await files.remove(id)];
    const missing = await files.get("file-none");

    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await missing.json()).toEqual({ error: { message: "No such file: file-none" } });
  });

  test("4.6.3 own: files that a consumer uploaded with shared scope are its own", async () => {
    await using upstream = startFilesUpstream();
    const { a, all } = await threeConsumers(await kit(), openai(upstream));
    await filesOf(await kit(), a).upload();
    const id = await filesOf(await kit(), all).upload();
    const before = (await (await (await kit()).get(all.path)).json()) as Record<string, unknown>;

    const { name, slug, registries } = before;
    await (await kit()).put(all.path, { name, slug, registries, files_scope: "own" });

    expect(await filesOf(await kit(), all).list()).toEqual([id]);
    expect((await filesOf(await kit(), all).get("file-1")).status).toBe(404);
  });

  test("4.6.3 own: the owner of a deleted file is deleted", async () => {
    await using upstream = startFilesUpstream();
    const { a } = await threeConsumers(await kit(), openai(upstream));
    const files = filesOf(await kit(), a);
    const id = await files.upload();
    const [registry] = a.registries;
    const rows = async () =>
      (await rowsOf(await kit())).filter(
        (row) => (row as { registry_id: string }).registry_id === registry?.id,
      ).length;
    await until(async () => (await rows()) === 1);

    await files.remove(id);
    const again = await files.get(id);

    expect(again.status).toBe(404);
    expect(upstream.hits.length).toBe(2);
    await until(async () => (await rows()) === 0);
  });

  test("4.6.3 own: owners are deleted with their consumer or registry", async () => {
    await using node = await startKit({ database: kind });
    await using upstream = startFilesUpstream();
    const { a, b, all } = await threeConsumers(node, openai(upstream));
    for (const consumer of [a, b]) await filesOf(node, consumer).upload();
    await until(async () => (await rowsOf(node)).length === 2);

    await node.delete(a.path);
    const left = await rowsOf(node);
    for (const { path } of [b, all]) {
      const { name, slug } = (await (await node.get(path)).json()) as Record<string, unknown>;
      await node.put(path, { name, slug, registries: [] });
    }
    const gone = await node.delete(
      `/v1/gateways/${a.gateway.id}/registries/${a.registries[0]?.id ?? ""}`,
    );

    expect(left).toMatchObject([{ file_id: "file-2", consumer_id: b.id }]);
    expect(gone.ok).toBe(true);
    expect(await rowsOf(node)).toEqual([]);
  });

  test("4.6.3 own: owners survive a restart, and the file is requested from its registry", async () => {
    await using database = await freshDatabase(kind);
    await using first = startFilesUpstream("x");
    await using second = startFilesUpstream("y");
    const data_dir = mkdtempSync(join(tmpdir(), "portcullis-restart-"));
    const node = { database_url: database.url, data_dir };
    const before = await startKit(node);
    const { a, b } = await threeConsumers(before, [...openai(first), ...openai(second)]);
    const id = await filesOf(before, a).upload();
    const [holder, other] = id.startsWith("file-x") ? [first, second] : [second, first];
    // At once: the shutdown writes the queued changes.
    await before[Symbol.asyncDispose]();

    await using after = await startKit(node);
    const seen = await filesOf(after, a).get(id);
    const hidden = await filesOf(after, b).get(id);

    expect([seen.status, hidden.status]).toEqual([200, 404]);
    expect([holder.hits.length, other.hits.length]).toEqual([2, 0]);
  });

  test("4.6.3 own: another node finds an upload within a second, also after a 404", async () => {
    await using one = await startKit({ database: kind });
    await using other = await startKit({
      database_url: one.database_url,
      data_dir: one.data_dir,
    });
    await using upstream = startFilesUpstream();
    const { a, b } = await threeConsumers(one, openai(upstream));
    await until(() => other.deps.snapshot().consumersBySlug.has(b.slug));
    const early = await filesOf(other, a).get("file-1");

    const id = await filesOf(one, a).upload();
    const arrived = await until(async () => (await filesOf(other, a).get(id)).status === 200);

    expect([early.status, id]).toEqual([404, "file-1"]);
    expect(arrived).toBeLessThan(PROMISE_MS);
    expect(await filesOf(other, a).list()).toEqual([id]);
    expect(await filesOf(other, b).list()).toEqual([]);
    expect((await filesOf(other, b).get(id)).status).toBe(404);
  });

  test("4.6.3 own: an upload succeeds while the database is unavailable, and is written afterwards", async () => {
    await using database = await freshDatabase(kind);
    using line = kind === "postgres" ? startCuttableProxy(database.url) : lockable(database.url);
    await using node = await startKit({ database_url: line.url });
    await using upstream = startFilesUpstream();
    const { a, b } = await threeConsumers(node, openai(upstream));

    line.cut();
    const id = await filesOf(node, a).upload();
    const seen = await filesOf(node, a).get(id);
    await Bun.sleep(100);
    line.mend();

    expect(seen.status).toBe(200);
    await using other = await startKit({ database_url: database.url, data_dir: node.data_dir });
    await until(async () => (await rowsOf(other)).length === 1);
    expect((await filesOf(other, a).get(id)).status).toBe(200);
    expect((await filesOf(other, b).get(id)).status).toBe(404);
  });
});

/** Holds the write lock of an SQLite file, like another program. */
function lockable(url: string) {
  const sqlite = new Database(sqliteFile(url) ?? "");
  return {
    url,
    cut: () => sqlite.exec("BEGIN IMMEDIATE"),
    mend: () => sqlite.exec("ROLLBACK"),
    [Symbol.dispose]: () => sqlite.close(),
  };
}

const kit = sharedKit();

async function ownConsumer(attach: (url: string) => Attach[], script: Script) {
  const upstream = startUpstream(script);
  const consumer = await makeConsumer(await kit(), attach(upstream.url), { files_scope: "own" });
  return { ...consumer, upstream, [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose]() };
}

test("4.6.3 own: an upload that cannot be written is logged", async () => {
  await using database = await freshDatabase("postgres");
  using line = startCuttableProxy(database.url);
  const node = await startKit({ database_url: line.url });
  await using upstream = startFilesUpstream();
  const { a } = await threeConsumers(node, openai(upstream));
  const logged = (event: string) => node.lines.filter((text) => text.includes(`"${event}"`));

  line.cut();
  const id = await filesOf(node, a).upload();
  await until(() => logged("owned_files_held").length > 0);
  const unsure = await filesOf(node, a).get("file-of-whom");
  await node[Symbol.asyncDispose]().catch(() => {});

  // The owner is unknown: neither allowed nor a 404.
  expect(unsure.status).toBe(503);
  expect(logged("owned_files_held").length).toBe(1);
  expect(logged("owned_file_dropped").join()).toContain(id);
});

test("4.6.3 own: files of the demo provider belong to their consumer", async () => {
  const { a, b } = await threeConsumers(await kit(), [{ provider: "demo", url: "" }]);
  const [mine, others] = [filesOf(await kit(), a), filesOf(await kit(), b)];
  const id = await mine.upload();
  await others.upload();

  const replies = [await others.get(id), await others.content(id), await others.remove(id)];

  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect(await mine.list()).toEqual([id]);
  expect(await (await mine.content(id)).text()).toBe("a");
  expect((await mine.remove(id)).status).toBe(200);
  expect(await mine.list()).toEqual([]);
});

test("4.6.3 own: Anthropic's list is filtered, and keeps its format", async () => {
  const file = { id: "file_1", type: "file", size_bytes: 3 };
  await using one = await ownConsumer(
    (url) => [{ provider: "anthropic", url: `${url}/v1` }],
    ({ method }) => ({
      body: method === "POST" ? file : { data: [file, { id: "file_2" }], has_more: false },
    }),
  );
  await one.form("/v1/files", UPLOAD);

  const list = await one.get("/v1/files");

  expect(await list.json()).toEqual({ data: [file], has_more: false });
});

test("4.6.3 own: the id is read from the top-level member of the response, in any number of chunks", async () => {
  const pieces = ['{"source":{"id":"file-of-another"},"filename":"\\"id\\":\\"file-3\\"","i'];
  await using one = await ownConsumer(
    (url) => [{ provider: "openai", url }],
    ({ method }) =>
      method === "POST" ? { chunks: [...pieces, 20, 'd":"file-1"', 20, "}"] } : { body: {} },
  );

  const reply = await one.form("/v1/files", UPLOAD);

  expect(await reply.text()).toBe(`${pieces[0]}d":"file-1"}`);
  expect((await one.get("/v1/files/file-1")).status).toBe(200);
  expect((await one.get("/v1/files/file-of-another")).status).toBe(404);
  expect((await one.get("/v1/files/file-3")).status).toBe(404);
});

test("4.6.3 own: the registry of a file takes precedence over the prefix of its id", async () => {
  await using one = await ownConsumer((url) => [{ provider: "xai", url }], {
    body: { id: "file_1" },
  });
  await one.form("/v1/files", UPLOAD);

  const reply = await one.get("/v1/files/file_1");

  expect(reply.status).toBe(200);
});

test.each([
  ["not JSON", { body: "<html>file-1 file-2</html>" }],
  ["not a list", { body: { data: "file-1" } }],
  ["too long to filter", { body: { data: [{ id: "x".repeat(9 * 1024 * 1024) }] } }],
  ["incomplete", { chunks: ['{"data":[{"id":"file-2"}'], ending: "reset" as const }],
])("4.6.3 own: a list that is %s is a 502 and is not relayed", async (_, script) => {
  await using one = await ownConsumer((url) => [{ provider: "openai", url }], script);

  const reply = await one.get("/v1/files");

  expect(reply.status).toBe(502);
  expect(await reply.text()).not.toContain("file-2");
});

test("4.6.3 own: an upstream's error response to a list is relayed unchanged", async () => {
  const refused = { error: { message: "slow down" } };
  await using one = await ownConsumer((url) => [{ provider: "openai", url }], {
    status: 400,
    body: refused,
  });

  const reply = await one.get("/v1/files");

  expect([reply.status, await reply.json()]).toEqual([400, refused]);
});

test("4.6.3 own: a list in many chunks is assembled before it is filtered", async () => {
  const others = Array.from({ length: 5000 }, (_, n) => ({ id: `file-other-${n}` }));
  const text = JSON.stringify({ object: "list", data: [...others, { id: "file-1" }] });
  await using one = await ownConsumer(
    (url) => [{ provider: "openai", url }],
    ({ method }) =>
      method === "POST"
        ? { body: { id: "file-1" } }
        : { chunks: [text.slice(0, 70_001), 5, text.slice(70_001)] },
  );
  await one.form("/v1/files", UPLOAD);

  const reply = await one.get("/v1/files");

  expect(await reply.json()).toEqual({ object: "list", data: [{ id: "file-1" }] });
});

test("4.6.3 own: a file at a disabled registry is a 503, not a 404", async () => {
  await using one = await ownConsumer((url) => [{ provider: "openai", url }], {
    body: { id: "file-1" },
  });
  await one.form("/v1/files", UPLOAD);
  const [registry] = one.registries;
  const path = `/v1/gateways/${one.gateway.id}/registries/${registry?.id ?? ""}`;
  const { provider_options } = (await (await (await kit()).get(path)).json()) as {
    provider_options: unknown;
  };
  await (await kit()).put(path, {
    name: registry?.name,
    provider: "openai",
    provider_options,
    allow_private: true,
    enabled: false,
  });

  const reply = await one.get("/v1/files/file-1");

  expect(reply.status).toBe(503);
  expect(one.upstream.hits.length).toBe(1);
});

test("4.6.3 own: explain returns the same as a request", async () => {
  await using other = startUpstream({ body: { id: "file-1" } });
  await using one = await ownConsumer(
    (url) => [
      { provider: "openai", url },
      { provider: "openai", url: other.url },
    ],
    { body: { id: "file-1" } },
  );
  const { headers } = await one.form("/v1/files", UPLOAD);
  const explain = async (path: string) => {
    const reply = await (await kit()).post(`${one.path}/explain`, { method: "GET", path });
    return (await reply.json()) as Explanation;
  };

  const mine = await explain("/v1/files/file-1");
  const others = await explain("/v1/files/file-2");

  expect(mine.order).toEqual([headers.get("x-ag-registry") ?? ""]);
  expect(mine.registries.map(({ reason }) => reason).toSorted()).toEqual(["file_elsewhere", null]);
  expect(others.refusal).toMatchObject({ status: 404, code: "not_found" });
});
