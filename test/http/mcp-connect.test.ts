/** Accounts of principals: connected by OAuth in a browser, renewed in time, never disclosed. */
import { describe, expect, test } from "bun:test";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { sweep } from "../../src/server/sweep.ts";
import { openBrowser } from "../kit/browser.ts";
import { sharedKit, startKit } from "../kit/kit.ts";
import { clientKinds, connectClient } from "../kit/mcp-client.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";
import { databaseKinds } from "../kit/services.ts";
import { startVendor } from "../kit/vendor.ts";

describe.each(databaseKinds)("on %s", (database) => {
  const kitOf = sharedKit({ database });

  test("a link that was tampered with leads to no other site after signing in", async () => {
    const kit = await kitOf();
    const token = await (await makeMcpStore(kit)).token("alice");
    const link = `${kit.url}/me/connect/https:attacker.example.net`;

    const reply = await fetch(link, {
      method: "POST",
      body: new URLSearchParams({ token }),
      redirect: "manual",
    });

    expect(new URL(reply.headers.get("location") ?? "", link).origin).toBe(kit.url);
  });

  test("what principals gave does not follow an instance to another host", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const { path, store, server } = vendor;
    const keyed = await store.serve("Keyed", server.url, { auth: { type: "principal_key" } });
    const moved = (to: string, code: string) =>
      kit.put(to, { provider_options: { code, url: "http://127.0.0.1:9/mcp" } });
    const install = await store.install("alice", keyed.code);

    await vendor.connected("alice");
    await kit.put(`${store.path}/store/principal/installs/${install}/config`, {
      values: { api_key: "a-key-of-alice" },
    });
    const statuses = [
      (await moved(path, vendor.code)).status,
      (await moved(keyed.path, keyed.code)).status,
      (await kit.put(path, { enabled: false })).status,
    ];
    await kit.delete(`${store.path}/store/principal/installs/${install}`);

    expect(statuses).toEqual([409, 409, 200]);
    expect((await moved(keyed.path, keyed.code)).status).toBe(200);
  });

  const NUL_IN_EMAIL = [{ alg: "RS256" }, { email: "al\0ice" }, {}]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");

  test.each([
    ["the largest integer as its lifetime", { expires_in: 2 ** 63 }],
    ["a lifetime that is over", { expires_in: -1e300 }],
    ["an account name with a NUL", { id_token: NUL_IN_EMAIL }],
  ])("a token response with %s connects an account", async (_, more) => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    vendor.auth.state.more = more;

    await vendor.connected("alice");

    await using client = await vendor.store.client("alice");
    vendor.auth.state.more = {};
    expect(await client.call("linear__issues")).toMatchObject({ isError: false });
  });

  test("accounts of principals are not renewed at another token endpoint", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    await vendor.connected("alice");
    const { url } = vendor.auth;

    const moved = await kit.put(
      `${vendor.store.path}/store/catalog/${encodeURIComponent(vendor.code)}`,
      {
        auth: {
          type: "oauth",
          authorize_url: `${url}/authorize`,
          token_url: "https://attacker.example.net/token",
        },
      },
    );

    expect(moved.status).toBe(409);
  });

  test.each(clientKinds)(
    "the whole story: search, install, connect, call, lose access: %s client",
    async (kind) => {
      const kit = await kitOf();
      await using vendor = await startVendor(kit);
      const { store, auth, server } = vendor;
      await using client = await store.client("alice", kind);

      const found = await client.call("store_search", { query: "TEST linear" });
      expect(found.structured).toMatchObject({
        items: [{ code: vendor.code, level: "install", install_status: "not_installed" }],
      });
      const installed = await client.call("store_install", { code: vendor.code });
      expect(installed.structured).toMatchObject({ status: "installed", requires_auth: true });
      const link = String(installed.structured.connect_url);
      expect(installed.text).toContain(link);
      expect(await client.tools()).toContain("connect_linear");
      expect(await client.tools()).not.toContain("linear__issues");
      const early = await client.call("linear__issues");
      expect(early).toMatchObject({ isError: true, structured: { connect_url: link } });
      expect((await client.call("connect_linear")).text).toContain(link);

      const browser = openBrowser();
      expect(await (await browser.visit(link)).text()).toContain("Sign in to install");
      const page = await browser.submit(link, { token: await store.token("alice") });
      expect(await page.text()).toContain("Sign in at Linear");
      const done = await browser.submit(link, {});
      expect(await done.text()).toContain("Linear is connected");

      expect(await client.tools()).toContain("linear__issues");
      const result = await client.call("linear__issues", { open: true });
      expect(result).toMatchObject({
        isError: false,
        text: '{"tool":"issues","args":{"open":true}}',
      });
      const [, token = ""] = (server.calls[0]?.headers.get("authorization") ?? "").split(" ");
      expect(auth.access.get(token)?.sub).toBe("alice@vendor.example");

      await store.rule("alice", "none");
      const lost = await client.call("linear__issues", { open: true });
      expect(lost).toMatchObject({ isError: true, text: expect.stringContaining("access") });
      expect(await client.tools()).not.toContain("linear__issues");
      expect(server.calls).toHaveLength(1);

      const log = kit.lines.join("\n");
      expect(auth.secrets().filter((secret) => log.includes(secret))).toEqual([]);
    },
  );

  test("a token that is about to end is renewed once, however many calls come", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    vendor.auth.state.expires_in = 30;
    await vendor.connected("alice");
    vendor.auth.state.delay_ms = 100;
    vendor.auth.state.expires_in = 3600;
    await using client = await vendor.store.client("alice");

    const results = await Promise.all(
      Array.from({ length: 8 }, () => client.call("linear__issues")),
    );

    expect(results.every(({ isError }) => !isError)).toBe(true);
    expect(vendor.auth.grants()).toEqual(["authorization_code", "refresh_token"]);
    expect((await vendor.credential())?.version).toBe(2);
  });

  test("a vendor that writes null for what it does not have is connected", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    vendor.auth.state.metadata = { scopes_supported: null, service_documentation: null };
    vendor.auth.state.more = { id_token: null };

    await vendor.connected("alice");
    await using client = await vendor.store.client("alice");

    expect(await client.call("linear__issues")).toMatchObject({ isError: false });
  });

  test("a token that the server refuses is renewed and the call made again", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    await vendor.connected("alice");
    await using client = await vendor.store.client("alice");
    await client.call("linear__issues");
    vendor.auth.access.clear();

    expect(await client.call("linear__issues")).toMatchObject({ isError: false });
  });

  test("an account that ended there leads to connecting again, and says so", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const { link, browser } = await vendor.connected("alice");
    await using client = await vendor.store.client("alice");
    vendor.auth.access.clear();
    vendor.auth.refresh.clear();

    const result = await client.call("linear__issues");

    expect(result).toMatchObject({ isError: true, structured: { connect_url: link } });
    expect((await vendor.credential())?.refresh_token).toBeNull();
    expect(await client.tools()).toContain("connect_linear");
    expect((await browser.submit(link, {})).ok).toBe(true);
    expect(await client.call("linear__issues")).toMatchObject({ isError: false });
    expect(vendor.auth.clients.size).toBe(1);
  });

  test("an account whose client the vendor has deleted is connected again with a new client", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    await vendor.connected("alice");
    await using client = await vendor.store.client("alice");
    vendor.auth.clients.clear();
    vendor.auth.access.clear();
    expect(await client.call("linear__issues")).toMatchObject({ isError: true });

    await vendor.connected("alice");

    expect(await client.call("linear__issues")).toMatchObject({ isError: false });
  });

  test("a client that the vendor has deleted is deleted after a day, unless an account belongs to it", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const tomorrow = () => new Date(Date.now() + 86_400_000);
    const count = async () => {
      await sweep({ ...kit.deps, now: tomorrow });
      const sql = "SELECT id FROM oauth_registrations WHERE redirect_uri LIKE $1";
      return (await kit.db.many(sql, `%/${vendor.path.split("/").at(-1)}`)).length;
    };
    await vendor.connected("alice");
    await using client = await vendor.store.client("alice");
    vendor.auth.clients.clear();
    vendor.auth.access.clear();
    expect(await client.call("linear__issues")).toMatchObject({ isError: true });
    const before = await count();

    await vendor.connected("alice");

    expect([before, await count()]).toEqual([1, 1]);
    expect(await client.call("linear__issues")).toMatchObject({ isError: false });
  });

  test("a server that forbids one call does not cost the account", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    await vendor.connected("alice");
    await using client = await vendor.store.client("alice");
    expect(await client.call("linear__issues")).toMatchObject({ isError: false });
    const { gate } = vendor.server.state;
    vendor.server.state.gate = () => new Response("no", { status: 403 });

    expect(await client.call("linear__issues")).toMatchObject({ isError: true });
    vendor.server.state.gate = gate;

    expect(await client.call("linear__issues")).toMatchObject({ isError: false });
    expect((await vendor.credential())?.version).toBe(1);
  });

  test("while the authorization server is away a token that still counts is used", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    vendor.auth.state.expires_in = 30;
    await vendor.connected("alice");
    vendor.auth.state.broken = true;
    await using client = await vendor.store.client("alice");

    expect(await client.call("linear__issues")).toMatchObject({ isError: false });
  });

  test("what another node renewed meanwhile is read again after invalid_grant", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    vendor.auth.state.expires_in = 30;
    await vendor.connected("alice");
    vendor.auth.state.expires_in = 3600;
    vendor.auth.state.delay_ms = 150;
    await using client = await vendor.store.client("alice");
    const row = await vendor.credential();

    const call = client.call("linear__issues");
    vendor.auth.refresh.clear(); // the sibling has used it
    await Bun.sleep(200);
    await kit.db.run(
      "UPDATE store_credentials SET version = version + 1, expires_at = $1 WHERE instance_id = $2",
      "2099-01-01T00:00:00.000Z",
      vendor.id,
    );

    expect(await call).toMatchObject({ isError: false });
    expect((await vendor.credential())?.version).toBe((row?.version ?? 0) + 1);
  });

  test("two nodes that renew one account at the same moment both get on", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    vendor.auth.state.expires_in = 30;
    const { token } = await vendor.connected("alice");
    vendor.auth.state.expires_in = 3600;
    vendor.auth.state.delay_ms = 100;
    const { database_url, data_dir } = kit;
    await using other = await startKit({ database_url, data_dir });
    const headers = { authorization: `Bearer ${token}` };
    await using here = await connectClient(`${kit.url}/me/mcp`, headers);
    await using there = await connectClient(`${other.url}/me/mcp`, headers);

    const responses = await Promise.all(
      [here, there].map((client) => client.call("linear__issues")),
    );

    expect(responses).toMatchObject([{ isError: false }, { isError: false }]);
    expect((await vendor.credential())?.version).toBe(2);
  });

  test("a client that opens links gets one request", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const { token, link } = await vendor.installed("alice");
    const opened: unknown[] = [];
    const client = new Client(
      { name: "opens-links", version: "1" },
      {
        versionNegotiation: { mode: { pin: "2026-07-28" } },
        capabilities: { elicitation: { url: {} } },
      },
    );
    client.setRequestHandler("elicitation/create", ({ params }) => {
      opened.push("url" in params ? params.url : undefined);
      return { action: "accept" };
    });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const url = new URL(vendor.store.url);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));

    const result = await client.callTool({ name: "linear__issues", arguments: {} });

    expect(opened).toEqual([link]);
    expect(result).toMatchObject({ isError: true, structuredContent: { connect_url: link } });
    await client.close();
  });

  test("an account that no key opens must be connected again", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    await vendor.connected("alice");
    await kit.db.run(
      "UPDATE store_credentials SET access_token = $1 WHERE instance_id = $2",
      "sealed:v2:gone:AAAA",
      vendor.id,
    );
    await using client = await vendor.store.client("alice");

    expect(await client.tools()).toContain("connect_linear");
  });

  test("uninstalling takes the account with it", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    await vendor.connected("alice");
    await using client = await vendor.store.client("alice");

    const result = await client.call("store_uninstall", { code: vendor.code });

    expect(result.isError).toBe(false);
    expect(await vendor.credential()).toBeUndefined();
  });

  test("a sign-in belongs to the browser that started it, works once and ends", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const { token, link } = await vendor.installed("mallory");
    const started = await fetch(link, {
      method: "POST",
      redirect: "manual",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ token }).toString(),
    });
    const cookie = started.headers.get("set-cookie")?.split(";")[0] ?? "";
    const leave = () => fetch(link, { method: "POST", redirect: "manual", headers: { cookie } });
    const away = (await leave()).headers.get("location") ?? "";
    const back = (await fetch(away, { redirect: "manual" })).headers.get("location") ?? "";
    const victim = openBrowser();
    await victim.submit(`${kit.url}/me/connect/x`, { token: await vendor.store.token("bob") });

    // The address of the way back, sent to somebody who is signed in here as somebody else, or not at all.
    expect((await victim.visit(back)).status).toBe(403);
    expect((await fetch(back)).status).toBe(401);
    expect((await fetch(back, { headers: { cookie } })).status).toBe(200);
    expect((await fetch(back, { headers: { cookie } })).status).toBe(400);

    const late = (await leave()).headers.get("location") ?? "";
    const lateBack = (await fetch(late, { redirect: "manual" })).headers.get("location") ?? "";
    await kit.db.run("UPDATE oauth_flows SET expires_at = $1", "2020-01-01T00:00:00.000Z");
    expect((await fetch(lateBack, { headers: { cookie } })).status).toBe(400);
  });

  test("the page is accessible only to the principal of the install", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const { link, token } = await vendor.installed("alice");
    const other = openBrowser();
    await other.submit(link, { token: await vendor.store.token("bob") });

    expect((await other.visit(link)).status).toBe(404);
    expect((await other.submit(link, { token: "pp_wrong" })).status).toBe(401);
    expect((await openBrowser().submit(link, { token }, "https://evil.example")).status).toBe(403);
    expect((await openBrowser().submit(link, {})).status).toBe(401);
    expect((await other.submit(link, { x: "x".repeat(300_000) })).status).toBe(413);
  });

  test("what an instance asks of a principal is filled in on the page and goes with the calls", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const { store, server } = vendor;
    server.state.gate = undefined;
    const { code } = await store.serve("Keyed", `${server.origin}/{tenant}/mcp`, {
      auth: { type: "principal_key", header: "X-Key", scheme: "" },
      entry: { url: "https://x.example/mcp", allow_private: false },
      options: {
        fields: [
          { key: "tenant", in: "path" },
          { key: "region", in: "query", required: false },
          { key: "X-Team", in: "header", choices: ["a", "b"] },
        ],
      },
    });
    const link = `${kit.url}/me/connect/${await store.install("alice", code)}`;
    await using client = await store.client("alice");
    expect(await client.call("keyed__issues")).toMatchObject({ isError: true });
    const browser = openBrowser();
    await browser.submit(link, { token: await store.token("alice") });

    const values = { "field.tenant": "acme/..", "field.X-Team": "c", "field.api_key": "k-1" };
    expect((await browser.submit(link, values)).status).toBe(422);
    const saved = await browser.submit(link, {
      ...values,
      "field.X-Team": "b",
      "field.region": "eu",
    });
    expect(await saved.text()).toContain("Nothing is missing");

    expect(await client.call("keyed__issues")).toMatchObject({ isError: false });
    const hit = server.hits.at(-1);
    expect(new URL(hit?.url ?? "").pathname).toBe("/acme%2F../mcp");
    expect(new URL(hit?.url ?? "").search).toBe("?region=eu");
    expect(hit?.headers.get("x-key")).toBe("k-1");
    expect(hit?.headers.get("x-team")).toBe("b");
    expect(kit.lines.join("\n")).not.toContain("k-1");
  });

  test("the gateway signs in as itself with client credentials, and again when refused", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const { store, auth, server } = vendor;
    auth.clients.set("gateway", { secret: "s3cret/&", redirect_uris: [] });
    const { code } = await store.serve("Shared", server.url, {
      auth: {
        type: "client_credentials",
        token_url: `${auth.url}/token`,
        client_id: "gateway",
        client_secret: "s3cret/&",
        scopes: ["read"],
      },
    });
    await store.install("alice", code);
    await store.install("bob", code);
    await using alice = await store.client("alice");
    await using bob = await store.client("bob");

    expect(await alice.call("shared__issues")).toMatchObject({ isError: false });
    expect(await bob.call("shared__issues")).toMatchObject({ isError: false });
    expect(auth.grants()).toEqual(["client_credentials"]);
    auth.access.clear();
    expect(await bob.call("shared__issues")).toMatchObject({ isError: false });
    expect(auth.grants()).toEqual(["client_credentials", "client_credentials"]);
  });

  test("an administrator gets the link, which opens nothing by itself", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const { link } = await vendor.installed("alice");
    const id = link.split("/").at(-1);

    const reply = await kit.post(
      `${vendor.store.path}/store/principal/installs/${id}/connect`,
      undefined,
    );

    expect(await reply.json()).toEqual({ url: link, requires_auth: true, requires_config: false });
  });

  test("connecting is recorded in the audit log without a token", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    await vendor.connected("alice");

    const reply = await kit.get(
      `/v1/audit?gateway_id=${vendor.store.gateway.id}&resource=store_credential`,
    );
    const text = await reply.text();

    expect(JSON.parse(text).items).toMatchObject([
      { action: "store_credential.create", actor: "alice", after: { scopes: ["read", "write"] } },
    ]);
    expect(vendor.auth.secrets().filter((secret) => text.includes(secret))).toEqual([]);
  });
});
