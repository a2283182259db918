/** The five operations of every admin resource, on both databases. */
import { describe, expect, test } from "bun:test";
import { sharedKit } from "../kit/kit.ts";
import { databaseKinds } from "../kit/services.ts";

const UNKNOWN = "0190a000-0000-7000-8000-000000000000";

describe.each(databaseKinds)("%s", (database) => {
  const started = sharedKit({ database });
  let count = 0;
  const unique = (word: string) => `${word}-${++count}`;
  const fixture = async () => {
    const kit = await started();
    const gateway = await kit.make("/v1/gateways", { name: unique("gateway") });
    const path = `/v1/gateways/${gateway.id}`;
    const registry = await kit.make(`${path}/registries`, { name: "r1", provider: "demo" });
    return { kit, gateway, path, registry };
  };

  test("create returns 201 with defaults, an id, a version and an ETag", async () => {
    const kit = await started();

    const reply = await kit.post("/v1/gateways", { name: "First" });

    expect(reply.status).toBe(201);
    expect(reply.headers.get("etag")).toBe('"1"');
    expect(await reply.json()).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: "First",
      slug: expect.stringMatching(/^gw-[a-z0-9]{12}$/),
      required_plugins: [],
      metadata: {},
      version: 1,
    });
  });

  test("PUT and PATCH change the given members and keep the rest", async () => {
    const { kit, path } = await fixture();
    const consumer = await kit.make(`${path}/consumers`, {
      name: "c",
      balancing: { algorithm: "latency" },
      active: false,
    });

    const put = await kit.put(`${path}/consumers/${consumer.id}`, { name: "renamed" });
    const patch = await kit.call("PATCH", `${path}/consumers/${consumer.id}`, { active: true });

    expect(await put.json()).toMatchObject({ name: "renamed", active: false, version: 2 });
    expect(await patch.json()).toMatchObject({
      name: "renamed",
      active: true,
      balancing: { algorithm: "latency" },
      version: 3,
    });
  });

  test("delete returns 204, and the resource is then a 404", async () => {
    const { kit, path, registry } = await fixture();

    const reply = await kit.delete(`${path}/registries/${registry.id}`);

    expect(reply.status).toBe(204);
    expect((await kit.get(`${path}/registries/${registry.id}`)).status).toBe(404);
  });

  test("deleting a gateway deletes its children", async () => {
    const { kit, path, registry } = await fixture();

    await kit.delete(path);

    expect((await kit.get(`${path}/registries/${registry.id}`)).status).toBe(404);
  });

  test("deleting an attached registry detaches it", async () => {
    const { kit, path, registry } = await fixture();
    const consumer = await kit.make(`${path}/consumers`, {
      name: "c",
      registries: [{ id: registry.id }],
    });

    await kit.delete(`${path}/registries/${registry.id}`);

    const reply = await kit.get(`${path}/consumers/${consumer.id}`);
    expect(await reply.json()).toMatchObject({ registries: [] });
  });

  test("attached registries keep their order, weights and models", async () => {
    const { kit, path, registry } = await fixture();
    const other = await kit.make(`${path}/registries`, { name: "r2", provider: "demo" });
    const registries = [
      { id: other.id, weight: 3, models: { allowed: ["gpt-4o*", "o3"], default: "o3" } },
      { id: registry.id, weight: 1, models: {} },
    ];

    const consumer = await kit.make(`${path}/consumers`, { name: "c", registries });

    const reply = await kit.get(`${path}/consumers/${consumer.id}`);
    expect(await reply.json()).toMatchObject({ registries });
  });

  test("lists page, search and sort", async () => {
    const { kit, path } = await fixture();
    for (const name of ["beta", "alpha", "gamma", "alphabet"]) {
      await kit.make(`${path}/consumers`, { name });
    }
    type Names = { items: { name: string }[]; next_cursor: string | null };
    const list = async (query: string) =>
      (await (await kit.get(`${path}/consumers?${query}`)).json()) as Names;
    const names = ({ items }: Names) => items.map(({ name }) => name);

    const first = await list("limit=2&sort=name");
    const second = await list(`limit=2&sort=name&cursor=${first.next_cursor}`);

    expect(names(first)).toEqual(["alpha", "alphabet"]);
    expect(names(second)).toEqual(["beta", "gamma"]);
    expect(second.next_cursor).toBeNull();
    expect(names(await list("q=ALPHA&sort=-name"))).toEqual(["alphabet", "alpha"]);
  });

  test.each([
    ["limit=0", "limit"],
    ["limit=201", "limit"],
    ["limit=x", "limit"],
    ["sort=bogus", "sort"],
    ["cursor=bogus", "cursor"],
    [`cursor=${btoa('["created_at",false,5,"x"]')}`, "cursor"],
    ["page=1", "page"],
  ])("the list query %s is 422 and names it", async (query, named) => {
    const kit = await started();

    const reply = await kit.get(`/v1/gateways?${query}`);

    expect(reply.status).toBe(422);
    expect(await reply.json()).toEqual({
      error: "validation_failed",
      message: expect.stringContaining(named),
    });
  });

  test("changing the visibility of the catalog keeps the Store's default level", async () => {
    const { kit, path } = await fixture();
    await kit.put(path, { store: { default_level: "none" } });

    const reply = await kit.put(path, { store: { public_catalog: true } });

    expect(reply.status).toBe(422);
    expect(await reply.json()).toMatchObject({
      message: expect.stringContaining("store.default_level"),
    });
  });

  test("a stale If-Match is 412 and changes nothing; the current one succeeds", async () => {
    const { kit, path } = await fixture();

    const stale = await kit.put(path, { name: "x" }, { "if-match": '"7"' });
    const current = await kit.put(path, { name: "y" }, { "if-match": '"1"' });
    const staleDelete = await kit.delete(path, { "if-match": '"1"' });

    expect(stale.status).toBe(412);
    expect(await stale.json()).toMatchObject({ error: "version_mismatch" });
    expect(await current.json()).toMatchObject({ name: "y", version: 2 });
    expect(staleDelete.status).toBe(412);
  });

  test("a POST repeated with the same Idempotency-Key runs once and returns the same response, including secrets", async () => {
    const { kit, path } = await fixture();
    const consumer = await kit.make(`${path}/consumers`, { name: "c" });
    const keys = `${path}/consumers/${consumer.id}/keys`;
    const send = () => kit.post(keys, { name: "k" }, { "idempotency-key": "once" });

    const replies = await Promise.all([send(), send(), send()]);

    const bodies = (await Promise.all(replies.map((reply) => reply.json()))) as { key: string }[];
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set(bodies.map(({ key }) => key)).size).toBe(1);
    const listed = (await (await kit.get(keys)).json()) as { items: unknown[] };
    expect(listed.items).toHaveLength(1);
  });

  test("an Idempotency-Key is scoped to caller and path, so it never returns another caller's secret", async () => {
    const { kit, path } = await fixture();
    const consumers = [await kit.make(`${path}/consumers`, { name: "c" })];
    consumers.push(await kit.make(`${path}/consumers`, { name: "d" }));
    const [mine, other] = consumers.map(({ id }) => `${path}/consumers/${id}/keys`);
    const { token } = await kit.make<{ token: string }>("/v1/tokens", { name: "t", role: "admin" });
    const keyOf = async (keys = "", more: Record<string, string> = {}) => {
      const reply = await kit.post(keys, { name: "k" }, { "idempotency-key": "same", ...more });
      return ((await reply.json()) as { key: string }).key;
    };

    const first = await keyOf(mine);

    expect(await keyOf(mine)).toBe(first);
    expect(await keyOf(other)).not.toBe(first);
    expect(await keyOf(mine, { authorization: `Bearer ${token}` })).not.toBe(first);
  });

  test("an Idempotency-Key with another body is 422", async () => {
    const kit = await started();
    const headers = { "idempotency-key": unique("key") };
    await kit.post("/v1/gateways", { name: unique("g") }, headers);

    const other = await kit.post("/v1/gateways", { name: unique("g") }, headers);

    expect(other.status).toBe(422);
    expect(await other.json()).toMatchObject({
      message: expect.stringContaining("Idempotency-Key"),
    });
  });

  test("a duplicate name or slug is 409 already_exists and names the member", async () => {
    const { kit, path } = await fixture();
    const slug = unique("slug");
    await kit.make(`${path}/consumers`, { name: "c", slug });

    const sameName = await kit.post(`${path}/registries`, { name: "r1", provider: "demo" });
    const sameSlug = await kit.post(`${path}/consumers`, { name: "other", slug });

    expect(sameName.status).toBe(409);
    expect(await sameName.json()).toMatchObject({
      error: "already_exists",
      message: expect.stringContaining("name"),
    });
    expect(await sameSlug.json()).toMatchObject({ message: expect.stringContaining("slug") });
  });

  test("the same registry name is allowed in another gateway", async () => {
    const [one, other] = [await fixture(), await fixture()];

    expect(one.registry.id).not.toBe(other.registry.id);
  });

  test("a registry of another gateway cannot be attached", async () => {
    const [one, other] = [await fixture(), await fixture()];

    const reply = await one.kit.post(`${one.path}/consumers`, {
      name: "c",
      registries: [{ id: other.registry.id }],
    });

    expect(reply.status).toBe(422);
    expect(await reply.json()).toMatchObject({
      message: expect.stringContaining("registries[0].id"),
    });
  });

  test.each([
    ["GET", "/v1/gateways/not-a-uuid", 422, "validation_failed"],
    ["GET", `/v1/gateways/${UNKNOWN}`, 404, "not_found"],
    ["GET", `/v1/gateways/${UNKNOWN}/registries/${UNKNOWN}`, 404, "not_found"],
    ["POST", `/v1/gateways/${UNKNOWN}/registries`, 404, "not_found"],
    ["GET", `/v1/gateways/${UNKNOWN}/consumers`, 404, "not_found"],
    ["GET", "/v1/nothing", 404, "not_found"],
    ["GET", "/", 302, ""],
    ["DELETE", "/v1/gateways", 405, "method_not_allowed"],
  ])("%s %s is %i %s", async (method, path, status, error) => {
    const kit = await started();
    const body = method === "POST" ? { name: "r", provider: "demo" } : undefined;

    const reply = await fetch(`${kit.url}${path}`, {
      method,
      redirect: "manual",
      headers: { authorization: "Bearer pa_test-owner-token-0123456789abcdef" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });

    expect(reply.status).toBe(status);
    if (error) expect(await reply.json()).toMatchObject({ error });
  });

  test.each([
    ["malformed JSON", "{not json", "body"],
    ["an empty body", "", "body"],
    ["not an object", "[]", "body"],
    ["a wrong type", '{"name": 7}', "name"],
    ["a missing member", "{}", "name"],
    ["an unknown member", '{"name": "x", "status": "on"}', "status"],
    [
      "a deep unknown member",
      '{"name":"x","required_plugins":[{"name":"a","stage":"b","x":1}]}',
      "required_plugins[0].x",
    ],
    [
      "an unknown plugin",
      '{"name":"x","required_plugins":[{"name":"a","stage":"b"}]}',
      "required_plugins[0].name",
    ],
    ["a bad slug", '{"name":"x","slug":"Not OK"}', "slug"],
    ["a NUL in a name", '{"name":"a\\u0000b"}', "name"],
    ["a __proto__ member", '{"name":"x","__proto__":{"a":1}}', "__proto__"],
  ])("%s is 422 and named", async (_, body, named) => {
    const kit = await started();

    const reply = await kit.post("/v1/gateways", body);

    expect(reply.status).toBe(422);
    expect(await reply.json()).toEqual({
      error: "validation_failed",
      message: expect.stringContaining(named),
    });
  });

  test("an oversize body is 413, with or without a length", async () => {
    const kit = await started();
    const large = JSON.stringify({ name: "x", metadata: { pad: "y".repeat(3_000_000) } });
    const chunked = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(large));
        controller.close();
      },
    });

    const known = await kit.post("/v1/gateways", large);
    const unknown = await fetch(`${kit.url}/v1/gateways`, {
      method: "POST",
      headers: { authorization: "Bearer pa_test-owner-token-0123456789abcdef" },
      body: chunked,
    });

    expect([known.status, unknown.status]).toEqual([413, 413]);
    expect(await known.json()).toMatchObject({ error: "too_large" });
  });

  test("4.2.1 POST and PUT /api/v1/gateways/{id} return 200 with the complete gateway", async () => {
    const { kit, gateway } = await fixture();

    const post = await kit.post(`/api/v1/gateways/${gateway.id}`, { required_plugins: [] });
    const put = await kit.put(`/api/v1/gateways/${gateway.id}`, { metadata: { team: "a" } });

    expect([post.status, put.status]).toEqual([200, 200]);
    expect(await post.json()).toMatchObject({ id: gateway.id, required_plugins: [], version: 2 });
    expect(await put.json()).toMatchObject({ metadata: { team: "a" }, version: 3 });
  });
});
