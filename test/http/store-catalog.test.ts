/** The Store's catalog: what is shipped, added, hidden and imported, and the public registry format. */
import { describe, expect, test } from "bun:test";
import { SHIPPED_CATALOG } from "../../src/contract/gateway/shipped-catalog.ts";
import { type Kit, sharedKit } from "../kit/kit.ts";
import { measureLongestTurn } from "../kit/measure-longest-turn.ts";
import { databaseKinds } from "../kit/services.ts";
import { startStore } from "../kit/store.ts";
import { startUpstream, type UpstreamResponse } from "../kit/upstream.ts";

type Entry = Record<string, unknown> & { code: string };
type Page = { items: Entry[]; next_cursor: string | null };

const FIELD = { key: "a", in: "header" };
const SERVER_JSON = {
  name: "com.example/tickets",
  title: "Tickets",
  description: "Reads tickets.",
  version: "2.1.0",
  websiteUrl: "https://example.com",
  remotes: [
    { type: "sse", url: "https://mcp.example.com/sse" },
    {
      type: "streamable-http",
      url: "https://mcp.example.com/{tenant}/mcp",
      variables: { tenant: { description: "Your tenant" } },
      headers: [
        { name: "Authorization", isSecret: true, isRequired: true, value: "Bearer {token}" },
        { name: "X-Region", choices: ["eu", "us"] },
        { name: "X-Client", value: "fixed" },
      ],
    },
  ],
};

test("the shipped catalog has at least 40 servers that anyone can reach", () => {
  const codes = new Set(SHIPPED_CATALOG.map(({ code }) => code));

  expect(SHIPPED_CATALOG.length).toBeGreaterThanOrEqual(40);
  expect(codes.size).toBe(SHIPPED_CATALOG.length);
  expect(SHIPPED_CATALOG.filter(({ url }) => !url.startsWith("https://"))).toEqual([]);
  expect(SHIPPED_CATALOG.filter((entry) => !entry.vendor || !entry.description)).toEqual([]);
});

describe.each(databaseKinds)("%s", (database) => {
  const started = sharedKit({ database });
  const open = async () => {
    const kit = await started();
    const gateway = await kit.make("/v1/gateways", { name: "g" });
    const path = `/v1/gateways/${gateway.id}/store/catalog`;
    return { kit, gateway, path, one: (code: string) => `${path}/${encodeURIComponent(code)}` };
  };
  const read = async <T = Page>(kit: Kit, path: string) =>
    (await (await kit.get(path)).json()) as T;

  test("a new gateway has the shipped servers, sorted by name and in pages", async () => {
    const { kit, path } = await open();

    const first = await read(kit, `${path}?limit=30`);
    const second = await read(kit, `${path}?limit=30&cursor=${first.next_cursor}`);
    const names = [...first.items, ...second.items].map(({ name }) => String(name).toLowerCase());

    expect(names.length).toBe(SHIPPED_CATALOG.length);
    expect(names).toEqual(names.toSorted());
    expect(second.next_cursor).toBeNull();
    expect(first.items[0]).toMatchObject({ source: "shipped", status: "shown", updated_at: null });
  });

  test("the catalog is searched and narrowed", async () => {
    const { kit, path } = await open();

    const found = await read(kit, `${path}?q=jira`);
    const category = await read(kit, `${path}?category=documentation&limit=200`);

    expect(found.items.map(({ code }) => code)).toEqual(["com.atlassian/mcp"]);
    expect(new Set(category.items.map((entry) => entry.category))).toEqual(
      new Set(["documentation"]),
    );
    expect((await kit.get(`${path}?cursor=bm9wZQ`)).status).toBe(422);
  });

  test("a shipped server can be hidden, and comes back as shipped when that is deleted", async () => {
    const { kit, gateway, one } = await open();
    const path = one("com.notion/mcp");

    const hidden = await kit.put(path, { status: "hidden" });
    const refused = await kit.post(`/v1/gateways/${gateway.id}/store/principal/installs`, {
      code: "com.notion/mcp",
      principal_sub: "alice",
    });
    const removed = await kit.delete(path);
    const again = await kit.delete(path);

    expect(await hidden.json()).toMatchObject({ status: "hidden", source: "shipped" });
    expect([refused.status, removed.status, again.status]).toEqual([404, 204, 409]);
    expect(await read(kit, path)).toMatchObject({ status: "shown", updated_at: null });
  });

  test("what one gateway changes, another does not see", async () => {
    const { kit, one } = await open();
    const other = await open();

    await kit.put(one("com.notion/mcp"), { name: "Ours" });

    expect(await read(kit, other.one("com.notion/mcp"))).toMatchObject({ name: "Notion" });
  });

  test("a custom server is created, changed and deleted, with audit records", async () => {
    const { kit, gateway, path, one } = await open();
    const body = { code: "com.example/x", name: "X", url: "https://mcp.example.com/mcp" };

    const made = await kit.post(path, body);
    const twice = await kit.post(path, body);
    const changed = await kit.put(one(body.code), { auth: { type: "key" } });
    const removed = await kit.delete(one(body.code));
    const audit = await read<{ items: { action: string }[] }>(
      kit,
      `/v1/audit?gateway_id=${gateway.id}&resource=catalog_entry`,
    );

    expect(await made.json()).toMatchObject({ source: "custom", needs_admin_setup: false });
    expect(await changed.json()).toMatchObject({ needs_admin_setup: true });
    expect([made.status, twice.status, removed.status]).toEqual([201, 409, 204]);
    expect((await kit.get(one(body.code))).status).toBe(404);
    expect(audit.items.map(({ action }) => action)).toEqual([
      "catalog_entry.delete",
      "catalog_entry.update",
      "catalog_entry.create",
    ]);
  });

  test.each([
    ["a code with a space", { code: "a b" }, "code"],
    ["a code with two slashes", { code: "a/b/c" }, "code"],
    ["a code that is no name of the registry format", { code: "my_team/x" }, "code"],
    ["a word that is too long for one", { code: "a".repeat(101) }, "code"],
    ["a code that is an address", { code: "import" }, "code"],
    ["an empty version", { server_version: "" }, "server_version"],
    ["a field that every object has", { fields: [{ key: "constructor", in: "query" }] }, "key"],
    ["a private address", { url: "https://192.168.0.1/mcp" }, "url"],
    [
      "a private token endpoint",
      { auth: { type: "oauth", token_url: "https://169.254.169.254/t" } },
      "auth.token_url",
    ],
    [
      "a sign-in page without https",
      { auth: { type: "oauth", authorize_url: "http://vendor.example.com/a" } },
      "auth.authorize_url",
    ],
    ["an open variable", { url: "https://mcp.example.com/{t}" }, "{t}"],
    [
      "a host of each principal's choice",
      {
        url: "https://{team}.example.com/mcp",
        fields: [{ key: "team", in: "path", scope: "principal" }],
      },
      "{team}",
    ],
    [
      "an address with a gap",
      {
        url: "https://mcp.example.com/{region}",
        fields: [{ key: "region", in: "path", required: false }],
      },
      "fields[0].required",
    ],
    ["an icon that is a script", { icon_url: "javascript:alert(1)" }, "icon_url"],
    ["the same field twice", { fields: [FIELD, FIELD] }, "fields[1]"],
    ["a shown server of unknown auth", { auth: { type: "unknown" } }, "auth"],
    ["an unknown member", { stars: 5 }, "stars"],
    ["a name with a line break", { name: "a\nb" }, "name"],
  ])("%s is 422 and named", async (_, change, named) => {
    const { kit, path } = await open();

    const reply = await kit.post(path, {
      code: "com.example/x",
      name: "X",
      url: "https://mcp.example.com/mcp",
      ...change,
    });

    expect(reply.status).toBe(422);
    expect(await reply.json()).toMatchObject({ message: expect.stringContaining(named) });
  });

  test("a client secret of an instance does not follow the catalog to another token endpoint", async () => {
    const kit = await started();
    const { path } = await startStore(kit);
    const entry = `${path}/store/catalog/mail`;
    const auth = { type: "forwarded", client_id: "c", client_secret: "planted" };
    const provider_options = { code: "mail" };
    const body = { name: "Mail", type: "mcp", provider_options, auth };
    const instance = await kit.make(`${path}/registries`, body);
    const move = async () => {
      const token_url = "https://attacker.example.net/token";
      return (await kit.put(entry, { auth: { type: "oauth", token_url } })).status;
    };

    const kept = await move();
    await kit.put(`${path}/registries/${instance.id}`, { auth: { type: "forwarded" } });

    expect([kept, await move()]).toEqual([409, 200]);
  });

  test("nor does it follow a server that left the catalog and was added anew", async () => {
    const kit = await started();
    const { path } = await startStore(kit);
    const auth = { type: "forwarded", client_id: "c", client_secret: "planted" };
    const body = { name: "Mail", type: "mcp", provider_options: { code: "mail" }, auth };
    await kit.make(`${path}/registries`, body);
    await kit.delete(`${path}/store/catalog/mail`);
    const add = (token_url: string | null) =>
      kit.post(`${path}/store/catalog`, {
        code: "mail",
        name: "Mail",
        url: "https://mcp.example.com/mcp",
        auth: { type: "oauth", token_url },
      });

    const refused = await add("https://attacker.example.net/token");

    expect([refused.status, (await refused.json()).error]).toEqual([409, "has_dependents"]);
    expect((await add(null)).status).toBe(201);
  });

  test("with a principal the list says what they could do with each server", async () => {
    const kit = await started();
    const store = await startStore(kit, "request");
    await store.rule("group:eng", "install", "code:pub");
    await store.install({ code: "pub", groups: ["eng"] });
    await store.install({ code: "oauth", reason: "r" });
    const query = "principal_sub=alice&groups=eng,ops&q=server&source=custom";

    const { items } = await read(kit, `${store.path}/store/catalog?${query}`);
    const of = (code: string) => items.find((entry) => entry.code === code);

    expect(of("pub")).toMatchObject({ level: "install", install_status: "installed" });
    expect(of("oauth")).toMatchObject({ level: "request", install_status: "pending_approval" });
    expect(of("key")).toMatchObject({ level: "request", install_status: "not_installed" });
  });

  test("a server.json file arrives hidden, with its variables and headers as fields", async () => {
    const { kit, path, one } = await open();

    const reply = await kit.post(`${path}/import`, { servers: [SERVER_JSON] });

    expect(await reply.json()).toEqual({ imported: ["com.example/tickets"], skipped: [] });
    expect(await read(kit, one("com.example/tickets"))).toMatchObject({
      name: "Tickets",
      url: "https://mcp.example.com/{tenant}/mcp",
      server_version: "2.1.0",
      source: "imported",
      status: "hidden",
      auth: { type: "key", header: "Authorization", scheme: "Bearer", scope: "admin" },
      fields: [
        { key: "tenant", in: "path", required: true, scope: "admin" },
        { key: "X-Region", in: "header", required: false, choices: ["eu", "us"] },
      ],
    });
  });

  test("what cannot be used is left out with the reason; the rest is imported", async () => {
    const { kit, path } = await open();
    const named = (name: string, more: object) => ({ ...SERVER_JSON, name, ...more });

    const reply = await kit.post(`${path}/import`, {
      servers: [
        named("com.example/local", { remotes: undefined }),
        named("no-slash", {}),
        named("nul\u0000/byte", {}),
        named("com.example/inside", {
          remotes: [{ type: "streamable-http", url: "https://10.0.0.1/mcp" }],
        }),
        named("com.notion/mcp", {}),
        named("com.example/fine", {}),
      ],
    });

    expect(await reply.json()).toMatchObject({
      imported: ["com.example/fine"],
      skipped: [
        { name: "com.example/local", reason: expect.stringContaining("streamable-http") },
        { name: "no-slash", reason: expect.stringContaining("name") },
        { name: "nul\u0000/byte", reason: expect.stringContaining("name") },
        { name: "com.example/inside", reason: expect.stringContaining("public") },
        { name: "com.notion/mcp", reason: "is already in the catalog" },
      ],
    });
  });

  test("an imported server that moves is hidden until somebody has looked again", async () => {
    const { kit, path, one } = await open();
    const moved = { type: "streamable-http", url: "https://elsewhere.example.com/mcp" };
    await kit.post(`${path}/import`, { servers: [SERVER_JSON] });
    const { fields } = await read<{ fields: object[] }>(kit, one(SERVER_JSON.name));
    const own = fields.map((field) => ({ ...field, scope: "principal" }));
    await kit.put(one(SERVER_JSON.name), { status: "shown", category: "support", fields: own });

    await kit.post(`${path}/import`, { servers: [{ ...SERVER_JSON, title: "Tickets 2" }] });
    const same = await read<Entry>(kit, one(SERVER_JSON.name));
    await kit.post(`${path}/import`, { servers: [{ ...SERVER_JSON, remotes: [moved] }] });

    expect(same).toMatchObject({
      name: "Tickets 2",
      status: "shown",
      category: "support",
      fields: [{ scope: "principal" }, { scope: "principal" }],
    });
    expect(await read(kit, one(SERVER_JSON.name))).toMatchObject({ status: "hidden" });
  });

  test("a registry is read page by page; what it deleted is left out", async () => {
    const { kit, path } = await open();
    const official = "io.modelcontextprotocol.registry/official";
    const server = (name: string) => ({ ...SERVER_JSON, name });
    await using registry = startUpstream((hit) => ({
      body: hit.query.includes("cursor=two")
        ? {
            servers: [
              { server: server("com.example/c"), _meta: { [official]: { status: "deleted" } } },
            ],
            metadata: {},
          }
        : {
            servers: [{ server: server("com.example/a") }, { server: server("com.example/b") }],
            metadata: { nextCursor: "two" },
          },
    }));

    const reply = await kit.post(`${path}/import`, {
      registry_url: registry.url,
      search: "tickets",
      allow_private: true,
    });

    expect(await reply.json()).toEqual({
      imported: ["com.example/a", "com.example/b"],
      skipped: [{ name: "com.example/c", reason: "was deleted in its registry" }],
    });
    expect(registry.hits.map(({ path }) => path)).toEqual(["/v0.1/servers", "/v0.1/servers"]);
    expect(registry.hits[0]?.query).toContain("search=tickets");
  });

  test("an imported server that its registry deletes is hidden, even if nothing else changes", async () => {
    const { kit, path, one } = await open();
    const official = "io.modelcontextprotocol.registry/official";
    await using registry = startUpstream({
      body: {
        servers: [
          { server: { name: SERVER_JSON.name }, _meta: { [official]: { status: "deleted" } } },
        ],
      },
    });
    await kit.post(`${path}/import`, { servers: [SERVER_JSON] });
    await kit.put(one(SERVER_JSON.name), { status: "shown" });

    const from = { registry_url: registry.url, allow_private: true };
    const reply = await kit.post(`${path}/import`, from);

    expect(await reply.json()).toMatchObject({ skipped: [{ name: SERVER_JSON.name }] });
    expect(await read(kit, one(SERVER_JSON.name))).toMatchObject({ status: "hidden" });
    expect(registry.hits[0]?.query).toContain("include_deleted=true");
  });

  test("a registry that knows no pages and no latest is read as far as the limit says", async () => {
    const { kit, path } = await open();
    const official = "io.modelcontextprotocol.registry/official";
    const listed = (name: string, _meta: object | null = null) => ({
      server: { ...SERVER_JSON, name },
      _meta,
    });
    const many = Array.from({ length: 2000 }, (_, index) => listed(`com.example/${index}`));
    const old = listed("com.example/old", { [official]: { status: "active", isLatest: false } });
    await using registry = startUpstream({ body: { servers: [old, ...many], metadata: null } });

    const from = { registry_url: registry.url, allow_private: true, limit: 2 };
    const reply = await kit.post(`${path}/import`, from);

    expect(await reply.json()).toMatchObject({ imported: ["com.example/0", "com.example/1"] });
    expect(registry.hits.length).toBe(1);
  });

  test("a registry whose pages lead in a circle is read once round", async () => {
    const { kit, path } = await open();
    const next: Record<string, string> = { one: "two", two: "one" };
    await using registry = startUpstream((hit) => {
      const at = new URLSearchParams(hit.query).get("cursor") ?? "";
      const name = `com.example/${at || "start"}`;
      return {
        body: {
          servers: [{ server: { ...SERVER_JSON, name } }],
          metadata: { nextCursor: next[at] ?? "one" },
        },
      };
    });

    const from = { registry_url: registry.url, allow_private: true };
    const reply = await kit.post(`${path}/import`, from);

    expect(await reply.json()).toMatchObject({
      imported: ["com.example/start", "com.example/one", "com.example/two"],
    });
  });

  test.each([
    ["inside, when it may not be", { registry_url: "https://127.0.0.1:1" }, 422],
    ["with both ways at once", { registry_url: "https://example.com", servers: [{}] }, 422],
    ["with neither way", {}, 422],
  ])("an import %s is a 422", async (_, body, status) => {
    const { kit, path } = await open();

    expect((await kit.post(`${path}/import`, body)).status).toBe(status);
  });

  test.each<[string, UpstreamResponse, string]>([
    ["an error", { status: 500 }, "500"],
    ["a redirect", { status: 302, headers: { location: "http://169.254.169.254/" } }, "302"],
    ["no JSON", { body: "<html>" }, "JSON"],
    ["another shape", { body: { items: [] } }, "servers"],
    ["too many values", { body: { servers: [{ server: { a: Array(60_000) } }] } }, "values"],
    ["many servers of another shape", { body: { servers: Array(600_000).fill(1) } }, "servers"],
    ["half of it", { chunks: ['{"servers": [', 100], ending: "reset" }, "upstream"],
  ])("a registry that returns %s is a 502, and nothing is stored", async (_, response, named) => {
    const { kit, path } = await open();
    await using registry = startUpstream(response);

    const reply = await kit.post(`${path}/import`, {
      registry_url: registry.url,
      allow_private: true,
    });

    expect(reply.status).toBe(502);
    expect(await reply.json()).toMatchObject({ message: expect.stringContaining(named) });
    expect((await read(kit, `${path}?source=imported`)).items).toEqual([]);
  });

  test("the time of an import is linear in the number of variables in an address", async () => {
    const { kit, path } = await open();
    const url = `https://mcp.example.com/${"{a}".repeat(600)}`;
    const remotes = [{ type: "streamable-http", url, variables: { a: {} } }];
    const names = Array.from({ length: 10 }, (_, index) => `com.example/long-${index}`);
    const servers = names.map((name) => ({ ...SERVER_JSON, name, remotes }));

    const [longest, reply] = await measureLongestTurn(() =>
      kit.post(`${path}/import`, { servers }),
    );

    expect(await reply.json()).toMatchObject({ imported: names });
    expect(longest).toBeLessThan(1000);
  });

  describe("/v0.1", () => {
    interface Listed {
      servers: { server: { name: string; remotes: { url: string }[] } }[];
      metadata: { count: number; nextCursor?: string };
    }
    const withToken = async () => {
      const kit = await started();
      const store = await startStore(kit, "none");
      await store.rule("group:eng", "request", "code:pub");
      await store.rule("group:eng", "install", "code:oauth");
      await store.rule("group:eng", "install", "code:old");
      const { token } = await kit.make<{ token: string }>(`${store.path}/store/principal-tokens`, {
        name: "t",
        principal_sub: "alice",
        groups: ["eng"],
      });
      const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
        fetch(`${kit.url}${path}`, {
          method,
          headers: { authorization: `Bearer ${token}`, ...headers },
        });
      return { kit, store, ask };
    };

    test("a principal sees what they may use, behind the gateway's own address", async () => {
      const { kit, ask } = await withToken();

      const reply = await ask("/v0.1/servers");
      const { servers, metadata } = (await reply.json()) as Listed;

      expect(servers.map(({ server }) => server.name)).toEqual([
        "portcullis/oauth",
        "portcullis/pub",
      ]);
      expect(servers[0]?.server.remotes).toEqual([
        { type: "streamable-http", url: `${kit.url}/me/mcp` } as never,
      ]);
      expect(metadata).toEqual({ count: 2 });
    });

    test("texts respect the limits of the format, regardless of the entry", async () => {
      const { kit, store, ask } = await withToken();
      await store.rule("group:eng", "install", "code:wide");
      await kit.make(`${store.path}/store/catalog`, {
        code: "wide",
        name: "\u{1f600}".repeat(120),
        url: "https://mcp.example.com/mcp",
        icon_url: `https://example.com/${"i".repeat(300)}`,
      });

      const reply = await ask("/v0.1/servers/portcullis%2Fwide/versions/latest");
      const { server } = (await reply.json()) as { server: Record<string, unknown> };

      expect(server).toMatchObject({
        title: "\u{1f600}".repeat(100),
        description: "\u{1f600}".repeat(100),
      });
      expect(server.icons).toBeUndefined();
    });

    test("pages and search work as in the public API", async () => {
      const { ask } = await withToken();

      const first = (await (await ask("/v0.1/servers?limit=1&version=latest")).json()) as Listed;
      const cursor = first.metadata.nextCursor;
      const second = (await (await ask(`/v0.1/servers?limit=1&cursor=${cursor}`)).json()) as Listed;
      const found = (await (await ask("/v0.1/servers?search=OAUTH")).json()) as Listed;

      expect(second.servers[0]?.server.name).toBe("portcullis/pub");
      expect(found.metadata.count).toBe(1);
    });

    test.each([
      ["portcullis%2Fpub/versions", 200],
      ["portcullis%2Fpub/versions/latest", 200],
      ["portcullis%2Fpub/versions/1.0.0", 200],
      ["portcullis%2Fpub/versions/9.9.9", 404],
      ["portcullis%2Fkey/versions/latest", 404],
      ["portcullis%2Fold/versions/latest", 404],
    ])("/v0.1/servers/%s is a %i", async (path, status) => {
      const { ask } = await withToken();

      expect((await ask(`/v0.1/servers/${path}`)).status).toBe(status);
    });

    test("pages of other sites may read it, errors too", async () => {
      const { ask } = await withToken();

      const preflight = await ask("/v0.1/servers", {}, "OPTIONS");
      const responses = [await ask("/v0.1/servers"), await ask("/v0.1/servers/x%2Fy/versions")];
      const refused = await ask("/v0.1/servers", { authorization: "Bearer pp_nope" });

      expect(preflight.status).toBe(204);
      expect(preflight.headers.get("access-control-allow-headers")).toContain("authorization");
      expect(refused.status).toBe(401);
      expect(
        [preflight, ...responses, refused].map(({ headers }) =>
          headers.get("access-control-allow-origin"),
        ),
      ).toEqual(["*", "*", "*", "*"]);
    });

    test("without a token only a gateway that shows its catalog to everyone is listed", async () => {
      const { kit, store } = await withToken();
      const plain = () => fetch(`${kit.url}/v0.1/servers`);

      const closed = await plain();
      await kit.put(store.path, { store: { default_level: "request", public_catalog: true } });
      const opened = (await (await plain()).json()) as Listed;
      await kit.put(store.path, { store: { default_level: "none", public_catalog: false } });

      expect(closed.status).toBe(401);
      expect(opened.metadata.count).toBe(30);
    });
  });
});
