/** MCP registries as decided: registries with `type: "mcp"`, instances of a Store server. */
import { describe, expect, test } from "bun:test";
import { sharedKit } from "../kit/kit.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { databaseKinds } from "../kit/services.ts";
import { startStore } from "../kit/store.ts";
import { startUpstream } from "../kit/upstream.ts";

const PLANTED = "planted-mcp-secret-4711";
const AUTHS: [string, object, string][] = [
  ["header", { type: "header", value: PLANTED }, "value"],
  ["forwarded", { type: "forwarded", client_id: "c", client_secret: PLANTED }, "client_secret"],
  [
    "client_credentials",
    {
      type: "client_credentials",
      token_url: "https://login.example.com/token",
      client_id: "c",
      client_secret: PLANTED,
    },
    "client_secret",
  ],
];

describe.each(databaseKinds)("%s", (database) => {
  const started = sharedKit({ database });
  const fresh = async () => startStore(await started());
  const post = async (path: string, options: object, more: object = {}) =>
    (await started()).post(`${path}/registries`, {
      name: `i-${crypto.randomUUID()}`,
      type: "mcp",
      provider_options: { url: "https://mcp.example.com/mcp", ...options },
      ...more,
    });

  test("an MCP registry needs no provider, and says what it is", async () => {
    const { path } = await fresh();

    const reply = await post(path, { code: "pub" });

    expect(reply.status).toBe(201);
    expect(await reply.json()).toMatchObject({
      type: "mcp",
      provider: "mcp",
      provider_options: { code: "pub", transport: "streamable-http", allowed_tools: null },
      auth: null,
      capabilities: [],
      enabled: true,
    });
  });

  test("a test lists the tools, and reports what to do when it fails, without secrets", async () => {
    const kit = await started();
    const { path } = await fresh();
    await using server = startMcpServer({
      tools: [{ name: "read" }, { name: "write" }],
      gate: ({ headers }) =>
        headers.get("x-key") === PLANTED ? undefined : new Response("no", { status: 401 }),
    });
    const run = async (options: object, more: object = {}) => {
      const at = { url: server.url, ...options };
      const reply = await post(path, at, { allow_private: true, ...more });
      const { id } = (await reply.json()) as { id: string };
      return await (await kit.post(`${path}/store/instances/${id}/test`, undefined)).json();
    };
    const keyed = (value: string) => ({ auth: { type: "header", header: "X-Key", value } });

    const healthy = await run({ allowed_tools: ["read"] }, keyed(PLANTED));
    const rejected = await run({}, keyed("old-secret-of-the-team"));
    const personal = await run({}, { auth: { type: "principal_key", header: "X-Key" } });
    const closed = await run({ url: "http://127.0.0.1:9/mcp" });
    const needy = await run({ fields: [{ key: "site", label: "Site", in: "query" }] });
    const unknown = await kit.post(
      `${path}/store/instances/${crypto.randomUUID()}/test`,
      undefined,
    );

    expect(healthy).toMatchObject({
      ok: true,
      message: "The server has 2 tools.",
      tools: [
        { name: "read", description: "Does read", state: "offered" },
        { name: "write", state: "not_allowed" },
      ],
    });
    expect(rejected).toMatchObject({
      ok: false,
      message: "The server rejected the credential. Set the credential of this instance again.",
    });
    expect(personal).toMatchObject({ ok: true, tools: [] });
    expect(closed).toMatchObject({
      ok: false,
      message: expect.stringMatching(
        /^The connection to the upstream failed. Check that the address/,
      ),
    });
    expect(needy).toMatchObject({ ok: false, message: expect.stringContaining("enters Site") });
    expect(unknown.status).toBe(404);
    expect(JSON.stringify([healthy, rejected])).not.toMatch(/planted|old-secret/);
  });

  test("what is left out comes from the catalog", async () => {
    const { path } = await fresh();

    const reply = await post(path, { code: "site", url: undefined });

    expect(await reply.json()).toMatchObject({
      provider_options: {
        url: "https://mcp.example.com/{site}/mcp",
        fields: [{ key: "site", in: "path", required: true }],
      },
    });
  });

  test.each(AUTHS)("the secret of %s is sealed and masked", async (_, auth, member) => {
    const { path } = await fresh();
    const kit = await started();

    const reply = await post(path, {}, { auth });
    const rows = JSON.stringify(await kit.db.many("SELECT * FROM registries"));
    const audit = await (await kit.get("/v1/audit?resource=registry")).text();

    expect(await reply.json()).toMatchObject({ auth: { [member]: "***4711" } });
    expect(rows + audit).not.toContain(PLANTED);
  });

  test("a stored secret does not follow the instance to another host", async () => {
    const { path } = await fresh();
    const kit = await started();
    const made = (await (
      await post(path, { headers: { "x-team": PLANTED } }, { auth: AUTHS[0]?.[1] })
    ).json()) as { id: string; provider_options: object; auth: object };
    const at = `${path}/registries/${made.id}`;

    const moved = await kit.put(at, {
      provider_options: { ...made.provider_options, url: "https://attacker.example.net/mcp" },
    });
    const kept = await kit.put(at, { auth: made.auth, enabled: false });

    expect([moved.status, kept.status]).toEqual([422, 200]);
  });

  test("a stored secret does not follow another way to sign in", async () => {
    const { path } = await fresh();
    const kit = await started();
    const forwarded = { type: "forwarded", client_id: "c", client_secret: PLANTED };
    const made = (await (await post(path, {}, { auth: forwarded })).json()) as { id: string };
    const elsewhere = {
      type: "client_credentials",
      token_url: "https://attacker.example.net/token",
      client_id: "c",
    };
    const change = (client_secret: string) =>
      kit.put(`${path}/registries/${made.id}`, { auth: { ...elsewhere, client_secret } });

    const statuses = [
      (await change("***4711")).status,
      (await change("")).status,
      (await change("another one")).status,
    ];

    expect(statuses).toEqual([422, 422, 200]);
  });

  test("an instance whose server left the catalog can still be switched off", async () => {
    const store = await fresh();
    const kit = await started();
    const made = (await (await post(store.path, { code: "pub" })).json()) as { id: string };
    await kit.delete(`${store.path}/store/catalog/pub`);

    const off = await kit.put(`${store.path}/registries/${made.id}`, { enabled: false });

    expect(off.status).toBe(200);
    expect((await post(store.path, { code: "pub" }, { name: "Second" })).status).toBe(422);
  });

  test.each<[string, object, object, string]>([
    ["no address", { url: undefined }, {}, "url"],
    ["a loopback address", { url: "https://127.0.0.1/mcp" }, {}, "url"],
    ["a private address in octal", { url: "https://0300.0250.1.1/mcp" }, {}, "url"],
    ["a metadata address", { url: "https://169.254.169.254/mcp" }, {}, "url"],
    ["plain http", { url: "http://mcp.example.com/mcp" }, {}, "url"],
    ["a file", { url: "file:///etc/passwd" }, { allow_private: true }, "url"],
    ["a password in the address", { url: "https://a:b@mcp.example.com/" }, {}, "url"],
    ["an open variable", { url: "https://mcp.example.com/{tenant}" }, {}, "tenant"],
    [
      "a variable in the host",
      { url: "https://{h}.example.com/", fields: [{ key: "h", in: "path" }] },
      {},
      "{h}",
    ],
    ["a field without its place", { fields: [{ key: "site", in: "path" }] }, {}, "site"],
    ["an unknown code", { code: "nope" }, {}, "code"],
    ["an unknown option", { command: "npx" }, {}, "command"],
    ["another transport", { transport: "stdio" }, {}, "transport"],
    ["an API key", {}, { auth: { type: "api_key", api_key: "k" } }, "auth.type"],
    ["capabilities", {}, { capabilities: ["chat"] }, "capabilities"],
    ["a provider", {}, { provider: "openai" }, "provider"],
    ["a header of ours", { headers: { Host: "x" } }, {}, "headers"],
    [
      "a token address inside",
      {},
      {
        auth: {
          type: "client_credentials",
          token_url: "https://10.0.0.1/token",
          client_id: "c",
          client_secret: "s",
        },
      },
      "token_url",
    ],
    ["no credential for a server with OAuth", { code: "oauth" }, {}, "auth"],
    ["no credential for a server with a key", { code: "key" }, {}, "auth"],
    [
      "a field twice",
      {
        fields: [
          { key: "a", in: "query" },
          { key: "A", in: "query" },
        ],
      },
      {},
      "twice",
    ],
    ["a field for a header of ours", { fields: [{ key: "Host", in: "header" }] }, {}, "header"],
    ["two tools of one name", { tool_aliases: { a: "x", b: "x" } }, {}, "same name"],
    ["a tool alias that is no name", { tool_aliases: { a: "no spaces" } }, {}, "tool_aliases"],
  ])("%s is 422 and named", async (_, options, more, named) => {
    const { path } = await fresh();

    const reply = await post(path, options, more);

    expect(reply.status).toBe(422);
    expect(await reply.json()).toMatchObject({ message: expect.stringContaining(named) });
  });

  test("allow_private lets it reach a private address", async () => {
    const { path } = await fresh();

    const reply = await post(path, { url: "http://10.0.0.5:9000/mcp" }, { allow_private: true });

    expect(reply.status).toBe(201);
  });

  test("two names that differ only in case are a 409", async () => {
    const { path } = await fresh();
    await post(path, { code: "pub" }, { name: "Team" });

    const reply = await post(path, { code: "pub" }, { name: "TEAM" });

    expect(reply.status).toBe(409);
  });

  test.each([
    ["the type", { type: "llm", provider: "openai", provider_options: {} }],
    ["the code", { provider_options: { code: "key", url: "https://mcp.example.com/mcp" } }],
  ])("%s of an instance cannot be changed", async (_, change) => {
    const { path } = await fresh();
    const made = (await (await post(path, { code: "pub" })).json()) as { id: string };

    const reply = await (await started()).put(`${path}/registries/${made.id}`, change);

    expect(reply.status).toBe(422);
  });

  test("a secret of a known server goes to no other token endpoint", async () => {
    const store = await fresh();
    const kit = await started();
    const token_url = "https://login.example.com/token";
    await kit.make(`${store.path}/store/catalog`, {
      code: "machine",
      name: "Machine",
      url: "https://mcp.example.com/mcp",
      auth: { type: "oauth", grant_type: "client_credentials", token_url },
    });
    const auth = { type: "client_credentials", token_url, client_id: "c", client_secret: "s" };
    const elsewhere = { ...auth, token_url: "https://login.example.net/token" };

    const statuses = [
      (await post(store.path, { code: "machine" }, { auth })).status,
      (await post(store.path, { code: "machine" }, { auth: elsewhere })).status,
    ];

    expect(statuses).toEqual([201, 422]);
  });

  test("the data plane does not see an attached MCP registry", async () => {
    const kit = await started();
    await using upstream = startUpstream();
    const { path } = await fresh();
    const instance = (await (
      await post(path, { url: `${upstream.url}/mcp` }, { allow_private: true })
    ).json()) as { id: string };
    const slug = `c${crypto.randomUUID().slice(0, 8)}`;
    const consumer = await kit.make(`${path}/consumers`, {
      name: "c",
      slug,
      registries: [{ id: instance.id }],
    });
    const { key } = await kit.make<{ key: string }>(`${path}/consumers/${consumer.id}/keys`, {
      name: "k",
    });

    const reply = await fetch(`${kit.url}/${slug}/v1/images/generations`, {
      method: "POST",
      headers: { "x-ag-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", prompt: "p" }),
    });

    expect(reply.status).toBe(503);
    expect(upstream.hits).toEqual([]);
  });
});
