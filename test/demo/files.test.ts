/** Files of the demo upstream: kept whole, listed in order, forgotten oldest first. */
import { expect, test } from "bun:test";
import { type Demo, NOW, startDemo } from "./start-demo.ts";

const MIB = 1024 * 1024;

async function upload(demo: Demo, content: string | Uint8Array<ArrayBuffer>, purpose = "batch") {
  const file = new File([content], "notes.txt", { type: "text/plain" });
  return (await demo.form("files", { purpose, file })).json();
}

async function list(demo: Demo, query = "") {
  const page = await (await demo.get(`files${query}`)).json();
  return { ...page, ids: page.data.map(({ id }: { id: string }) => id) };
}

test("an upload returns the file object, which can be retrieved", async () => {
  await using demo = startDemo();

  const file = await upload(demo, "hello");
  const found = await (await demo.get(`files/${file.id}`)).json();

  expect(file).toMatchObject({
    object: "file",
    bytes: 5,
    created_at: NOW.getTime() / 1000,
    filename: "notes.txt",
    purpose: "batch",
    status: "processed",
  });
  expect(file.id).toStartWith("file-");
  expect(found).toEqual(file);
});

test("the content is returned byte for byte, including foreign boundaries", async () => {
  await using demo = startDemo();
  const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => (at * 31 + (at >> 8)) & 255);
  bytes.set(Buffer.from("\r\n--\r\n------WebKitFormBoundary--\r\n"), 100_000);

  const { id } = await upload(demo, bytes);
  const content = await demo.get(`files/${id}/content`);

  expect(content.headers.get("content-type")).toBe("application/octet-stream");
  expect(Buffer.from(await content.arrayBuffer()).equals(bytes)).toBe(true);
});

test("a deleted file is a 404", async () => {
  await using demo = startDemo();
  const { id } = await upload(demo, "hello");

  const deleted = await demo.get(`files/${id}`, {
    method: "DELETE",
    headers: { authorization: "Bearer demo" },
  });

  expect(await deleted.json()).toEqual({ id, object: "file", deleted: true });
  expect((await demo.get(`files/${id}`)).status).toBe(404);
  expect((await list(demo)).ids).toEqual([]);
});

test.each([
  ["GET", "files/file-none"],
  ["GET", "files/file-none/content"],
  ["DELETE", "files/file-none"],
])("%s %s is a 404 for an unknown file", async (method, path) => {
  await using demo = startDemo();

  const response = await demo.get(path, { method, headers: { authorization: "Bearer demo" } });

  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({
    error: { message: "No such File object: file-none", param: "id" },
  });
});

test("the list filters, orders and pages", async () => {
  await using demo = startDemo();
  const a = await upload(demo, "a");
  const b = await upload(demo, "b", "vision");
  const c = await upload(demo, "c");

  const page = await list(demo, "?limit=2");
  const rest = await list(demo, `?limit=2&after=${page.last_id}`);

  expect(page).toMatchObject({ object: "list", ids: [c.id, b.id], has_more: true, first_id: c.id });
  expect(rest).toMatchObject({ ids: [a.id], has_more: false });
  expect((await list(demo, "?order=asc")).ids).toEqual([a.id, b.id, c.id]);
  expect((await list(demo, "?purpose=batch")).ids).toEqual([c.id, a.id]);
});

test.each(["?limit=0", "?order=up", "?after=file-none"])(
  "the list query %s is a 400",
  async (query) => {
    await using demo = startDemo();

    expect((await demo.get(`files${query}`)).status).toBe(400);
  },
);

test("beyond 64 MiB the oldest file is evicted", async () => {
  await using demo = startDemo();
  const chunk = new Uint8Array(25 * MIB);
  const first = await upload(demo, chunk);
  const second = await upload(demo, chunk);

  const third = await upload(demo, chunk);

  expect((await list(demo, "?order=asc")).ids).toEqual([second.id, third.id]);
  expect((await demo.get(`files/${first.id}/content`)).status).toBe(404);
});

test("a file over the limit is counted and marked, and evicts no other file", async () => {
  await using demo = startDemo();
  const small = await upload(demo, "small");

  const large = await upload(demo, new Uint8Array(65 * MIB));
  const content = await demo.get(`files/${large.id}/content`);

  expect(large).toMatchObject({ bytes: 65 * MIB, status: "error" });
  expect(content.status).toBe(404);
  expect(await content.json()).toMatchObject({ error: { code: "content_not_kept" } });
  expect(await (await demo.get(`files/${small.id}/content`)).text()).toBe("small");
});

test("a rejected upload releases its bytes", async () => {
  await using demo = startDemo();
  const kept = await upload(demo, "kept");
  const file = new File([new Uint8Array(40 * MIB)], "x.bin");

  const refused = [await demo.form("files", { file }), await demo.form("files", { file })];
  const next = await upload(demo, new Uint8Array(40 * MIB));

  expect(refused.map(({ status }) => status)).toEqual([400, 400]);
  expect((await list(demo)).ids).toEqual([next.id, kept.id]);
});

test("a truncated multipart body is a 400", async () => {
  await using demo = startDemo();

  const response = await demo.get("files", {
    method: "POST",
    headers: { authorization: "Bearer demo", "content-type": "multipart/form-data; boundary=b" },
    body: '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nhello',
  });

  expect(response.status).toBe(400);
});
