/** The MCP endpoint: what a principal and a consumer see there, in every era of the protocol. */

import { describe, expect, test } from "bun:test";
import { newSigningKey, startIssuer } from "../kit/issuer.ts";
import { sharedKit, startKit } from "../kit/kit.ts";
import { clientKinds, connectClient, post } from "../kit/mcp-client.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { makeMcpStore, STORE_TOOLS } from "../kit/mcp-store.ts";
import { databaseKinds } from "../kit/services.ts";
import { createTestClock } from "../kit/test-clock.ts";
import { twoNodes } from "../kit/two-nodes.ts";

/** Sends bytes as they are, and returns what comes back until the connection closes. */
async function exchangeRaw(port: number, text: string): Promise<string> {
  const closed = Promise.withResolvers<void>();
  let received = "";
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data: (_, bytes) => {
        received += bytes.toString();
      },
      close: () => closed.resolve(),
    },
  });
  socket.write(text);
  await closed.promise;
  return received;
}

describe.each(databaseKinds)("on %s", (database) => {
  const clock = createTestClock();
  const kitOf = sharedKit({
    now: clock.now,
    database,
    settings: { MCP_ALLOWED_ORIGINS: "https://agents.example.com, https://other.example.com" },
  });

  test.each(clientKinds)("a principal lists and calls installed tools: %s client", async (kind) => {
    const kit = await kitOf();
    await using server = startMcpServer({ tools: [{ name: "echo" }, { name: "add" }] });
    const store = await makeMcpStore(kit);
    const { code } = await store.serve("Tickets", server.url);
    await store.install("alice", code);
    await using client = await store.client("alice", kind);

    expect(await client.tools()).toEqual([...STORE_TOOLS, "tickets__echo", "tickets__add"]);
    const result = await client.call("tickets__add", { a: 1 });

    expect(result).toMatchObject({ text: '{"tool":"add","args":{"a":1}}', isError: false });
    expect(server.calls).toMatchObject([{ name: "add", args: { a: 1 } }]);
  });

  test("a consumer reaches the servers attached to it, and no Store", async () => {
    const kit = await kitOf();
    await using server = startMcpServer();
    const store = await makeMcpStore(kit);
    const open = await store.serve("Open", server.url, {
      auth: { type: "header", header: "X-Shared", value: "shared-secret" },
    });
    const own = await store.serve("Own", server.url, { auth: { type: "principal_key" } });
    const off = await store.serve("Off", server.url);
    await kit.put(off.path, { enabled: false });
    await store.serve("Elsewhere", server.url);
    const { url, key, path } = await store.consumer([open, own, off]);

    await using client = await connectClient(url, { "x-ag-api-key": key });
    expect(await client.tools()).toEqual(["open__echo"]);
    expect(await client.call("open__echo")).toMatchObject({ isError: false });
    expect(server.calls[0]?.headers.get("x-shared")).toBe("shared-secret");
    expect(server.calls[0]?.headers.get("x-ag-api-key")).toBeNull();
    expect(await client.call("store_search")).toMatchObject({ isError: true });
    expect(await client.call("own__echo")).toMatchObject({ isError: true });

    await kit.put(path, { registries: [] });
    expect(await client.call("open__echo")).toMatchObject({ isError: true });
    expect(kit.lines.join("\n")).not.toContain("shared-secret");
  });

  test("who sends no key or a wrong one gets a 401, and a login only where there is one", async () => {
    const kit = await kitOf();
    const store = await makeMcpStore(kit);
    const consumer = await kit.make<{ slug: string }>(`${store.path}/consumers`, { name: "C" });
    const ask = (path: string, headers = {}) => post(`${kit.url}${path}`, headers, {});
    const metadata = `${kit.url}/.well-known/oauth-protected-resource/me/mcp`;

    const before = await ask("/me/mcp");
    expect([before.status, before.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect((await fetch(metadata)).status).toBe(404);
    await kit.make(`${store.path}/store/issuers`, {
      name: "login",
      issuer: `https://login-${database}.example.com`,
      audience: `${kit.url}/me/mcp`,
      jwks_url: "https://login.example.com/jwks",
    });
    const after = await ask("/me/mcp", { authorization: "Bearer pp_wrong" });
    expect(after.status).toBe(401);
    expect(after.headers.get("www-authenticate")).toBe(`Bearer resource_metadata="${metadata}"`);
    expect(await (await fetch(metadata)).json()).toMatchObject({
      resource: `${kit.url}/me/mcp`,
      authorization_servers: [`https://login-${database}.example.com`],
    });
    const keyed = await ask(`/${consumer.slug}/mcp`);
    expect([keyed.status, keyed.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect((await ask("/unknown/mcp")).status).toBe(404);
  });

  test.each(["*/*", "application/*, text/*", undefined])(
    "a request with Accept %p gets its response",
    async (accept) => {
      const store = await makeMcpStore(await kitOf());
      const { hostname, port, pathname } = new URL(store.url);
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
      // fetch would add an Accept header of its own.
      const lines = [
        `POST ${pathname} HTTP/1.1`,
        `Host: ${hostname}:${port}`,
        "Connection: close",
        `Authorization: Bearer ${await store.token("alice")}`,
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
        ...(accept === undefined ? [] : [`Accept: ${accept}`]),
      ];
      const text = await exchangeRaw(Number(port), `${lines.join("\r\n")}\r\n\r\n${body}`);

      expect(text).toStartWith("HTTP/1.1 200");
      expect(text).toContain("store_search");
    },
  );

  test("a foreign Origin is a 403, the own and allowed ones pass", async () => {
    const kit = await kitOf();
    const store = await makeMcpStore(kit);
    const consumer = await store.consumer([]);
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const token = { authorization: `Bearer ${await store.token("alice")}` };
    const from = (origin: string) => post(store.url, { ...token, origin }, list);
    const { port } = new URL(kit.url);

    for (const origin of [
      "https://evil.example",
      "null",
      `http://evil.example:${port}`,
      "https://agents.example.com:8443",
      "not an origin",
    ]) {
      const refused = await from(origin);
      expect([origin, refused.status]).toEqual([origin, 403]);
      expect(await refused.json()).toMatchObject({ jsonrpc: "2.0", error: { code: -32000 } });
    }
    const key = { "x-ag-api-key": consumer.key };
    const evil = await post(consumer.url, { ...key, origin: "https://evil.example" }, list);
    expect(evil.status).toBe(403);
    // The Host header of a rebound name is the attacker's own.
    const rebound = { host: `evil.example:${port}`, origin: `http://evil.example:${port}` };
    expect((await post(store.url, { ...token, ...rebound }, list)).status).toBe(403);

    expect((await from(kit.url)).status).toBe(200);
    expect((await from("https://agents.example.com")).status).toBe(200);
  });

  test("pages of allowed origins may call: preflights pass without a key, and responses are readable", async () => {
    const kit = await kitOf();
    const store = await makeMcpStore(kit);
    const consumer = await store.consumer([]);
    const page = "https://page.example.com";
    await kit.put(consumer.path, { cors: { origins: [page] } });
    const preflight = (url: string, origin: string) =>
      fetch(url, {
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "authorization,mcp-protocol-version",
        },
      });
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };

    const preflighted = await preflight(store.url, "https://agents.example.com");
    expect(preflighted.status).toBe(204);
    expect(preflighted.headers.get("access-control-allow-origin")).toBe(
      "https://agents.example.com",
    );
    expect(preflighted.headers.get("access-control-allow-methods")).toBe("POST");
    expect(preflighted.headers.get("access-control-allow-headers")).toContain(
      "mcp-protocol-version",
    );
    expect((await preflight(consumer.url, page)).status).toBe(204);
    const read = await post(consumer.url, { "x-ag-api-key": consumer.key, origin: page }, list);
    expect([read.status, read.headers.get("access-control-allow-origin")]).toEqual([200, page]);
    const refused = await post(consumer.url, { origin: page }, list);
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([
      401,
      page,
    ]);
    // The consumer's origins are not the principals'.
    expect((await preflight(store.url, page)).status).toBe(403);
    expect((await preflight(consumer.url, "https://evil.example")).status).toBe(403);
  });

  test("only POST is taken, and what is no JSON-RPC is refused", async () => {
    const kit = await kitOf();
    const store = await makeMcpStore(kit);
    const headers = { authorization: `Bearer ${await store.token("alice")}` };

    const got = await fetch(store.url, { headers });
    expect([got.status, got.headers.get("allow")]).toEqual([405, "POST"]);
    expect((await fetch(store.url, { method: "DELETE", headers })).status).toBe(405);
    expect((await post(store.url, headers, "{not json")).status).toBe(400);
    expect((await post(store.url, headers, { jsonrpc: "2.0", method: 7 })).status).toBe(400);
    expect((await post(store.url, headers, `"${"x".repeat(17 * 1024 * 1024)}"`)).status).toBe(413);
    const wrong = { ...headers, "content-type": "text/plain" };
    expect((await fetch(store.url, { method: "POST", headers: wrong, body: "{}" })).status).toBe(
      415,
    );
  });

  test("access is checked at every call, not only by the list", async () => {
    const kit = await kitOf();
    await using server = startMcpServer();
    const store = await makeMcpStore(kit);
    const { code, id, path } = await store.serve("Tickets", server.url);
    const install = await store.install("alice", code);
    const token = await store.token("alice");
    await using client = await connectClient(store.url, { authorization: `Bearer ${token}` });
    const call = async () => (await client.call("tickets__echo")).text;
    const ok = '{"tool":"echo","args":{}}';

    expect(await call()).toBe(ok);
    await kit.put(path, { enabled: false });
    expect(await call()).toContain("disabled by an administrator");
    await kit.put(path, {
      enabled: true,
      provider_options: { code, url: server.url, allowed_tools: [] },
    });
    expect(await call()).toContain("Unknown tool");
    await kit.put(path, { provider_options: { code, url: server.url } });
    expect(await call()).toBe(ok);
    const rule = await store.rule("alice", "none");
    expect(await call()).toContain("access was removed");
    await kit.delete(`${store.path}/store/access-rules/${rule.id}`);
    expect(await call()).toBe(ok);
    await kit.delete(`${store.path}/store/principal/installs/${install}`);
    expect(await call()).toContain("Unknown tool");
    await using stranger = await store.client("bob");
    expect((await stranger.call("tickets__echo")).text).toContain("Unknown tool");
    expect(server.calls).toHaveLength(3);
    expect(id).toBeDefined();
  });

  test("an instance narrows and renames its tools, in the list and for calls", async () => {
    const kit = await kitOf();
    await using server = startMcpServer({ tools: [{ name: "a" }, { name: "b" }, { name: "c" }] });
    const store = await makeMcpStore(kit);
    const { code } = await store.serve("Tickets", server.url, {
      options: { allowed_tools: ["a", "b"], tool_aliases: { b: "better" } },
    });
    await store.install("alice", code);
    await using client = await store.client("alice");

    expect((await client.tools()).slice(4)).toEqual(["tickets__a", "tickets__better"]);
    await client.call("tickets__better");
    expect(await client.call("tickets__b")).toMatchObject({ isError: true });
    expect(await client.call("tickets__c")).toMatchObject({ isError: true });
    expect(server.calls.map(({ name }) => name)).toEqual(["b"]);
  });

  test("an expired approval removes the tools, and the server can be requested again", async () => {
    const kit = await kitOf();
    await using server = startMcpServer();
    const store = await makeMcpStore(kit, "request");
    const { code } = await store.serve("Tickets", server.url);
    await using client = await store.client("alice");
    await client.call("store_install", { code, reason: "triage" });
    const [request] = (await (await kit.get(`${store.path}/store/requests`)).json()).items;
    const expires_at = new Date(clock.now().getTime() + 60_000).toISOString();
    await kit.post(`${store.path}/store/requests/${request.id}/approve`, { expires_at });
    expect(await client.call("tickets__echo")).toMatchObject({ isError: false });

    clock.advance(60_000);

    expect(await client.call("tickets__echo")).toMatchObject({
      isError: true,
      text: expect.stringContaining("has expired"),
    });
    const again = await client.call("store_install", { code });
    expect(again.structured).toMatchObject({ requires_reason: true });
  });

  test("two instances of a server can hold two accounts and two names", async () => {
    const kit = await kitOf();
    await using one = startMcpServer({ tools: [{ name: "echo", call: () => "one" }] });
    await using two = startMcpServer({ tools: [{ name: "echo", call: () => "two" }] });
    const store = await makeMcpStore(kit);
    const { code, id } = await store.serve("Tickets EU", one.url);
    const second = await kit.make(`${store.path}/registries`, {
      name: "Tickets (US)",
      type: "mcp",
      provider_options: { code, url: two.url },
      allow_private: true,
    });
    await using client = await store.client("alice");
    const choice = await client.call("store_install", { code });
    expect(choice.structured).toMatchObject({ requires_instance_choice: true });
    expect(choice.text).toContain(second.id);
    for (const instance_id of [id, second.id])
      await client.call("store_install", { code, instance_id });

    expect((await client.call("tickets_eu__echo")).text).toBe('"one"');
    expect((await client.call("tickets_us__echo")).text).toBe('"two"');
    expect(await client.call("store_uninstall", { code })).toMatchObject({
      isError: true,
      text: expect.stringContaining(second.id),
    });
    expect((await client.call("store_uninstall", { code, instance_id: id })).isError).toBe(false);
    expect(await client.call("tickets_eu__echo")).toMatchObject({ isError: true });
    expect(await client.call("tickets_us__echo")).toMatchObject({ isError: false });
  });

  test("a token of the company's login is taken, and its groups count at once", async () => {
    const kit = await kitOf();
    await using server = startMcpServer();
    const store = await makeMcpStore(kit, "none");
    const { code } = await store.serve("Tickets", server.url);
    const key = await newSigningKey("ES256", "k");
    const issuer = await startIssuer(key);
    await using _ = issuer.upstream;
    const aud = crypto.randomUUID();
    await kit.make(`${store.path}/store/issuers`, {
      name: "login",
      issuer: "https://login.example.com",
      audience: aud,
      jwks_url: issuer.jwks_url,
      allow_private: true,
    });
    await kit.make(`${store.path}/store/access-rules`, {
      subject_type: "group",
      subject: "eng",
      target_type: "all",
      level: "install",
    });
    const as = async (groups: string[]) => {
      const token = await issuer.sign(key, { aud, sub: "carol", groups });
      return await connectClient(store.url, { authorization: `Bearer ${token}` });
    };
    await using engineer = await as(["eng"]);
    await using former = await as([]);

    expect((await engineer.call("store_install", { code })).structured.status).toBe("installed");
    expect(await engineer.call("tickets__echo")).toMatchObject({ isError: false });
    expect(await former.call("tickets__echo")).toMatchObject({ isError: true });
    expect(server.calls).toHaveLength(1);
  });

  test("the gateway's limits count here too, for a principal by who they are", async () => {
    const kit = await kitOf();
    const store = await makeMcpStore(kit);
    const settings = {
      limits: { per_user: { limit: 2, window: "1h" } },
      actions: { type: "reject" },
    };
    await kit.put(store.path, {
      required_plugins: [{ name: "rate_limiter", stage: "pre_request", settings }],
    });
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const ask = async (token: string, user: string) => {
      const headers = { authorization: `Bearer ${token}`, "x-user-id": user };
      return await post(store.url, headers, list);
    };
    const [alice, also, bob] = [
      await store.token("alice"),
      await store.token("alice"),
      await store.token("bob"),
    ];

    expect((await ask(alice, "a")).headers.get("x-ratelimit-per_user-remaining")).toBe("1");
    expect((await ask(also, "b")).status).toBe(200);
    const refused = await ask(alice, "c");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).not.toBeNull();
    expect((await ask(bob, "a")).status).toBe(200);
  });

  test("a revoked personal token opens nothing at the next call", async () => {
    const kit = await kitOf();
    const store = await makeMcpStore(kit);
    const made = await kit.make<{ id: string; token: string }>(
      `${store.path}/store/principal-tokens`,
      {
        name: "t",
        principal_sub: "alice",
      },
    );
    const headers = { authorization: `Bearer ${made.token}` };
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    expect((await post(store.url, headers, list)).status).toBe(200);

    await kit.delete(`${store.path}/store/principal-tokens/${made.id}`);

    expect((await post(store.url, headers, list)).status).toBe(401);
  });

  test("an expired personal token opens nothing at the next call", async () => {
    const kit = await kitOf();
    const store = await makeMcpStore(kit);
    const expires_at = new Date(clock.now().getTime() + 60_000).toISOString();
    const body = { name: "t", principal_sub: "alice", expires_at };
    const { token } = await kit.make<{ token: string }>(
      `${store.path}/store/principal-tokens`,
      body,
    );
    const headers = { authorization: `Bearer ${token}` };
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    expect((await post(store.url, headers, list)).status).toBe(200);

    clock.advance(60_000);

    expect((await post(store.url, headers, list)).status).toBe(401);
  });

  test("access that is removed at one node is removed at the next call to another", async () => {
    await using nodes = await twoNodes(database);
    const { one, other } = nodes;
    await using server = startMcpServer();
    const store = await makeMcpStore(one);
    const { code } = await store.serve("Tickets", server.url);
    const install = await store.install("alice", code);
    await store.install("bob", code);
    const { id, token } = await one.make<{ id: string; token: string }>(
      `${store.path}/store/principal-tokens`,
      { name: "carol", principal_sub: "carol" },
    );
    const url = `${other.url}/me/mcp`;
    const open = (secret: string) => connectClient(url, { authorization: `Bearer ${secret}` });
    await using alice = await open(await store.token("alice"));
    await using bob = await open(await store.token("bob"));
    await using carol = await open(token);
    expect(await alice.call("tickets__echo")).toMatchObject({ isError: false });
    expect(await bob.call("tickets__echo")).toMatchObject({ isError: false });
    expect(await carol.tools()).toEqual(STORE_TOOLS);

    await one.delete(`${store.path}/store/principal/installs/${install}`);
    expect((await alice.call("tickets__echo")).text).toContain("Unknown tool");
    await store.rule("bob", "none");
    expect((await bob.call("tickets__echo")).text).toContain("access was removed");
    await one.delete(`${store.path}/store/principal-tokens/${id}`);
    await expect(carol.tools()).rejects.toThrow("revoked");
    expect(server.calls).toHaveLength(2);
  });

  test("the Store's tools return what the HTTP endpoints return, with rejections on HTTP 200", async () => {
    const kit = await kitOf();
    await using server = startMcpServer();
    const store = await makeMcpStore(kit, "request");
    const { code } = await store.serve("Tickets", server.url);
    await using client = await store.client("alice");

    const first = await client.call("store_install", { code });
    expect(first.structured).toMatchObject({ status: "not_installed", requires_reason: true });
    expect(first.text).toContain("Ask the user why");
    const pending = await client.call("store_install", { code, reason: " triage " });
    expect(pending.structured).toMatchObject({ status: "pending_approval", pending: true });
    const status = await client.call("store_status");
    expect(status.structured).toMatchObject({ installs: [], requests: [{ code }] });
    const [request] = (await (await kit.get(`${store.path}/store/requests`)).json()).items;
    expect(request).toMatchObject({ principal_sub: "alice", reason: "triage" });
    await kit.post(`${store.path}/store/requests/${request.id}/approve`, {});
    expect(await client.call("tickets__echo")).toMatchObject({ isError: false });
    expect((await client.call("store_status", { code })).structured).toMatchObject({
      installs: [{ code, state: "active", tools: 1, notes: [] }],
      requests: [],
    });
    const unknown = await client.call("store_install", { code: "nope" });
    expect(unknown).toMatchObject({ isError: true, structured: { error: "not_found" } });
    const wrong = await client.call("store_install", { code, reason: "x".repeat(1001) });
    expect(wrong).toMatchObject({ isError: true, structured: { error: "validation_failed" } });
    await store.rule("alice", "none");
    const none = await client.call("store_install", { code });
    expect(none).toMatchObject({ isError: true, structured: { error: "conflict" } });
    expect((await client.call("store_search")).structured).toMatchObject({ items: [] });
    expect((await client.call("store_uninstall", { code })).isError).toBe(false);
    expect(await client.call("store_uninstall", { code })).toMatchObject({
      isError: true,
      structured: { error: "not_found" },
    });
  });
});

test.each(clientKinds)(
  "no node must be the same for a client's calls: %s client (mcp-hangar #877)",
  async (kind) => {
    await using one = await startKit({ database: "postgres" });
    await using other = await startKit({ database_url: one.database_url, data_dir: one.data_dir });
    await using server = startMcpServer({ sessions: true });
    const store = await makeMcpStore(one);
    const { code } = await store.serve("Tickets", server.url);
    await store.install("alice", code);
    const authorization = `Bearer ${await store.token("alice")}`;
    const nodes = [one.url, other.url];
    let calls = 0;
    await using balancer = Bun.serve({
      port: 0,
      fetch: ({ url, method, headers, body }) =>
        fetch(`${nodes[calls++ % 2]}${new URL(url).pathname}`, { method, headers, body }),
    });
    await using client = await connectClient(`${balancer.url}me/mcp`, { authorization }, kind);

    const results = [];
    for (let n = 0; n < 6; n++) results.push((await client.call("tickets__echo")).text);

    expect(results).toEqual(Array(6).fill('{"tool":"echo","args":{}}'));
    expect(await client.tools()).toContain("tickets__echo");
  },
);

test("behind a proxy every address is the public one, regardless of request headers (metamcp #195)", async () => {
  await using kit = await startKit({ settings: { PUBLIC_URL: "https://gw.example.com/" } });
  const store = await makeMcpStore(kit);
  await kit.make(`${store.path}/store/issuers`, {
    name: "login",
    issuer: "https://login.example.com",
    audience: "https://gw.example.com/me/mcp",
    jwks_url: "https://login.example.com/jwks",
  });
  const claimed = {
    host: "evil.example",
    "x-forwarded-host": "evil.example",
    forwarded: "host=evil.example",
  };
  const at = "/.well-known/oauth-protected-resource/me/mcp";
  const authorization = `Bearer ${await store.token("alice")}`;

  const refused = await post(`${kit.url}/me/mcp`, claimed, {});
  const metadata = await fetch(`${kit.url}${at}`, { headers: claimed });
  const listed = await fetch(`${kit.url}/v0.1/servers?limit=1`, {
    headers: { ...claimed, authorization },
  });

  expect(refused.headers.get("www-authenticate")).toBe(
    `Bearer resource_metadata="https://gw.example.com${at}"`,
  );
  expect(await metadata.json()).toMatchObject({ resource: "https://gw.example.com/me/mcp" });
  const text = await listed.text();
  expect(text).toContain('"url":"https://gw.example.com/me/mcp"');
  expect(text).not.toContain("evil.example");
});

describe("the login that clients discover", () => {
  const METADATA = "/.well-known/oauth-protected-resource/me/mcp";
  const started = async () => {
    const kit = await startKit();
    const makeGateway = async (name: string) => {
      const { id } = await kit.make("/v1/gateways", { name });
      const members = { name: `Admin of ${name}`, role: "admin", gateway_ids: [id] };
      const { token } = await kit.make<{ token: string }>("/v1/tokens", members);
      const headers = { authorization: `Bearer ${token}` };
      return { path: `/v1/gateways/${id}/store/issuers`, headers };
    };
    const toIssuer = (host: string) => ({
      name: host,
      issuer: `https://${host}.example.com`,
      audience: host,
      jwks_url: `https://${host}.example.com/jwks`,
    });
    const discover = async () => {
      const reply = await fetch(`${kit.url}${METADATA}`);
      return reply.ok ? (await reply.json()).authorization_servers : reply.status;
    };
    return {
      kit,
      makeGateway,
      toIssuer,
      discover,
      [Symbol.asyncDispose]: () => kit[Symbol.asyncDispose](),
    };
  };

  test("is not chosen by the administrator of another gateway", async () => {
    await using discovery = await started();
    const { kit, makeGateway, toIssuer, discover } = discovery;
    const one = await makeGateway("One");
    const rival = await makeGateway("Rival");

    const added = await kit.post(rival.path, toIssuer("rival"), rival.headers);
    expect([added.status, (await added.json()).listed]).toEqual([201, false]);
    expect(await discover()).toBe(404);
    const refused = await post(`${kit.url}/me/mcp`, {}, {});
    expect(refused.headers.get("www-authenticate")).toBe("Bearer");

    await kit.make(one.path, toIssuer("login"));
    expect(await discover()).toEqual(["https://login.example.com"]);
  });

  test("is confirmed by an administrator of all gateways, until its issuer changes", async () => {
    await using discovery = await started();
    const { kit, makeGateway, toIssuer, discover } = discovery;
    await makeGateway("One");
    const { path, headers } = await makeGateway("Two");
    const { id } = await (await kit.post(path, toIssuer("login"), headers)).json();

    await kit.put(`${path}/${id}`, {});
    expect(await discover()).toEqual(["https://login.example.com"]);
    await kit.put(`${path}/${id}`, { name: "Renamed" }, headers);
    expect(await discover()).toEqual(["https://login.example.com"]);
    await kit.put(`${path}/${id}`, { issuer: "https://rival.example.com" }, headers);
    expect(await discover()).toBe(404);
  });

  test("is that of the only gateway, also from the administrator of it alone", async () => {
    await using discovery = await started();
    const { kit, makeGateway, toIssuer, discover } = discovery;
    const { path, headers } = await makeGateway("Only");

    await kit.post(path, toIssuer("login"), headers);
    expect(await discover()).toEqual(["https://login.example.com"]);
  });
});
