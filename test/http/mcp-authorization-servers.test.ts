/** OAuth secrets, codes and tokens go only to the authorization server they belong to; a change needs an administrator. */
import { describe, expect, test } from "bun:test";
import { startAuthServer } from "../kit/auth-server.ts";
import { unique } from "../kit/guard.ts";
import { type Kit, sharedKit, startKit } from "../kit/kit.ts";
import { connectClient } from "../kit/mcp-client.ts";
import { databaseKinds } from "../kit/services.ts";
import { until } from "../kit/until.ts";
import { startUpstream } from "../kit/upstream.ts";
import { startVendor, type Vendor } from "../kit/vendor.ts";

const OWN = { client_id: "portcullis", client_secret: "secret-of-the-administrator" };

/** An address with a value of each principal. */
const WITH_TEAM = (url: string) => ({
  url,
  fields: [{ key: "team", in: "query", required: false }],
});

/** The vendor's server names `other` from now on, and a principal has tried to connect. */
async function switched(vendor: Vendor, principal = "bob") {
  const other = startAuthServer();
  vendor.server.advertises.issuer = other.url;
  const { reply } = await vendor.leave(principal);
  return { other, reply };
}

const decide = async (
  kit: Kit,
  vendor: Vendor,
  verb: "confirm" | "dismiss",
  query = "",
  headers: Record<string, string> = {},
) => {
  const id = (await vendor.authorizationServer())?.advertised?.id;
  return await kit.post(
    `${vendor.store.path}/store/authorization-servers/${id}/${verb}${query}`,
    undefined,
    headers,
  );
};

describe.each(databaseKinds)("on %s", (database) => {
  const kitOf = sharedKit({ database });

  test("a server that names another authorization server is suspended and gets no secret", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit, OWN);
    vendor.auth.state.expires_in = 30;
    await vendor.connected("alice");
    await using client = await vendor.store.client("alice");
    expect(await client.call("linear__issues")).toMatchObject({ isError: false });

    const { other, reply } = await switched(vendor);
    await using _ = other;

    expect(reply.status).toBe(409);
    expect(await reply.text()).toContain("An administrator must confirm");
    expect(await client.call("linear__issues")).toMatchObject({
      isError: true,
      text: expect.stringContaining("authorization server"),
    });
    expect(await client.tools()).not.toContain("linear__issues");
    expect(other.seen).toEqual([]);
    expect(other.clients.size).toBe(0);
    expect(await vendor.authorizationServer()).toMatchObject({
      current: { issuer: vendor.auth.url, token_endpoint: `${vendor.auth.url}/token` },
      advertised: { issuer: other.url, token_endpoint: `${other.url}/token` },
      suspended: true,
      accounts: 1,
    });
    const installs = await kit.get(`${vendor.store.path}/store/principal/installs`);
    expect(await installs.json()).toMatchObject({
      items: [
        { principal_sub: "alice", suspended_because: "authorization_server_changed" },
        { principal_sub: "bob", suspended_because: "authorization_server_changed" },
      ],
    });
    const audit = await kit.get(
      `/v1/audit?gateway_id=${vendor.store.gateway.id}&resource=authorization_server`,
    );
    expect(await audit.json()).toMatchObject({
      items: [
        { action: "authorization_server.hold", actor: "bob", after: { issuer: other.url } },
        {
          action: "authorization_server.create",
          actor: "alice",
          after: { issuer: vendor.auth.url },
        },
      ],
    });
  });

  test("after a confirmed change principals connect again, at the new server and with another client", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit, OWN);
    const { link } = await vendor.connected("alice");
    await using client = await vendor.store.client("alice");
    const { other } = await switched(vendor);
    await using _ = other;

    expect((await decide(kit, vendor, "confirm")).status).toBe(204);

    expect(await vendor.credential()).toBeUndefined();
    expect(await client.call("linear__issues")).toMatchObject({
      isError: true,
      structured: { connect_url: link },
    });
    // The client that the administrator registered belongs to the old server.
    const refused = await vendor.leave("alice");
    expect([refused.reply.status, await refused.reply.text()]).toEqual([
      409,
      expect.stringContaining("auth.client_id"),
    ]);
    const client_id = "registered-at-the-new-one";
    const client_secret = "another-secret";
    other.clients.set(client_id, {
      secret: client_secret,
      redirect_uris: [`${kit.url}/oauth/callback`],
    });
    await kit.put(vendor.path, { auth: { type: "forwarded", client_id, client_secret } });
    const { finish } = await vendor.atVendor("alice");
    expect((await finish()).status).toBe(200);
    expect(other.seen.map(({ basic }) => basic)).toEqual([`${client_id}:${client_secret}`]);
    expect(await vendor.authorizationServer()).toMatchObject({
      current: { issuer: other.url, confirmed_by: "First owner" },
      advertised: null,
      suspended: false,
      accounts: 1,
    });
  });

  test("a client that is set while a change waits belongs to that change, and to no later one", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit, OWN);
    await vendor.connected("alice");
    const first = await switched(vendor);
    await using _ = first.other;
    const setClient = async (client_id: string, auth: typeof first.other) => {
      const client_secret = `secret of ${client_id}`;
      const redirect_uris = [`${kit.url}/oauth/callback`];
      auth.clients.set(client_id, { secret: client_secret, redirect_uris });
      await kit.put(vendor.path, { auth: { type: "forwarded", client_id, client_secret } });
    };

    await setClient("one", first.other);
    await decide(kit, vendor, "dismiss");
    const second = await switched(vendor);
    await using __ = second.other;
    await decide(kit, vendor, "confirm");
    const refused = await vendor.leave("alice");
    const third = await switched(vendor);
    await using ___ = third.other;
    await setClient("two", third.other);
    await decide(kit, vendor, "confirm");
    const { finish } = await vendor.atVendor("alice");

    expect([refused.reply.status, await refused.reply.text()]).toEqual([
      409,
      expect.stringContaining("auth.client_id"),
    ]);
    expect((await finish()).status).toBe(200);
    expect(third.other.seen.map(({ basic }) => basic)).toEqual(["two:secret of two"]);
    expect([...first.other.seen, ...second.other.seen]).toEqual([]);
  });

  test.each(["", "***ator"])(
    "a client secret is sent again with another client_id, so %p does not take it to another server",
    async (client_secret) => {
      const kit = await kitOf();
      await using vendor = await startVendor(kit, OWN);
      const auth = { type: "forwarded", client_id: "another-client" };

      const kept = await kit.put(vendor.path, { auth: { ...auth, client_secret } });
      const sent = await kit.put(vendor.path, { auth: { ...auth, client_secret: "its-secret" } });

      expect([kept.status, await kept.text()]).toEqual([
        422,
        expect.stringContaining(
          "auth.client_secret: must be sent again when auth.client_id changes",
        ),
      ]);
      expect(sent.status).toBe(200);
    },
  );

  test("only an owner may state that the client belongs to the new server as well", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit, OWN);
    await vendor.connected("alice");
    const { other } = await switched(vendor);
    await using _ = other;
    other.clients.set(OWN.client_id, {
      secret: OWN.client_secret,
      redirect_uris: [`${kit.url}/oauth/callback`],
    });

    const admin = { name: unique("admin"), role: "admin" };
    const { token } = await kit.make<{ token: string }>("/v1/tokens", admin);
    const headers = { authorization: `Bearer ${token}` };
    const refused = await decide(kit, vendor, "confirm", "?keep_client=true", headers);
    expect(refused.status).toBe(403);

    expect((await decide(kit, vendor, "confirm", "?keep_client=true")).status).toBe(204);

    const { finish } = await vendor.atVendor("alice");
    expect((await finish()).status).toBe(200);
  });

  test("a dismissed change leaves everything as it was, and is reported again when it is seen again", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    await vendor.connected("alice");
    await using client = await vendor.store.client("alice");
    const { other } = await switched(vendor);
    await using _ = other;

    expect((await decide(kit, vendor, "dismiss")).status).toBe(204);

    expect(await client.call("linear__issues")).toMatchObject({ isError: false });
    expect((await vendor.leave("bob")).reply.status).toBe(409);
    expect((await vendor.authorizationServer())?.suspended).toBe(true);
    // It goes back to the first one: still an administrator decides.
    vendor.server.advertises.issuer = vendor.auth.url;
    expect((await vendor.leave("bob")).reply.status).toBe(409);
    await decide(kit, vendor, "dismiss");
    expect((await vendor.leave("bob")).away).toStartWith(vendor.auth.url);
  });

  test("confirming a change that was replaced by another one confirms nothing", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    await vendor.connected("alice");
    const { other } = await switched(vendor);
    await using _ = other;
    const seen = (await vendor.authorizationServer())?.advertised?.id;
    await decide(kit, vendor, "dismiss");
    const again = await switched(vendor);
    await using __ = again.other;

    const reply = await kit.post(
      `${vendor.store.path}/store/authorization-servers/${seen}/confirm`,
      undefined,
    );

    expect(reply.status).toBe(404);
    expect((await vendor.authorizationServer())?.current.issuer).toBe(vendor.auth.url);
  });

  test.each(["token_endpoint", "authorization_endpoint", "registration_endpoint"])(
    "an issuer that moves its %s suspends the instance",
    async (name) => {
      const kit = await kitOf();
      await using vendor = await startVendor(kit);
      vendor.auth.state.expires_in = 30;
      await vendor.connected("alice");
      await using other = startAuthServer();
      vendor.auth.state.metadata = { [name]: `${other.url}/token` };

      const { reply } = await vendor.leave("bob");

      expect(reply.status).toBe(409);
      expect((await vendor.authorizationServer())?.advertised).toMatchObject({
        issuer: vendor.auth.url,
        [name]: `${other.url}/token`,
      });
      expect(other.seen).toEqual([]);
    },
  );

  test.each([
    ["allows no S256", { code_challenge_methods_supported: ["plain"] }],
    ["issues no codes", { response_types_supported: ["token"] }],
    [
      "hides its host behind a user name",
      { authorization_endpoint: "https://a.example@b.example/" },
    ],
    [
      "hides its host behind letters of another alphabet",
      { authorization_endpoint: "https://\u0430.example/authorize" },
    ],
    [
      "hides its path behind a direction override",
      { authorization_endpoint: "https://b.example/\u202emoc.elpmaxe.nigol" },
    ],
    ["has an endpoint of 100 kB", { token_endpoint: `https://a.example/${"x".repeat(100_000)}` }],
  ])(
    "an authorization server that %s is rejected as a failure of the vendor",
    async (_, metadata) => {
      const kit = await kitOf();
      await using vendor = await startVendor(kit);
      vendor.auth.state.metadata = metadata;

      expect((await vendor.leave("alice")).reply.status).toBe(502);
    },
  );

  test("a client with an id of 100 kB is not stored", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    await using upstream = startUpstream(() => ({
      status: 201,
      body: { client_id: "x".repeat(100_000), redirect_uris: ["https://a.example"] },
    }));
    vendor.auth.state.metadata = { registration_endpoint: `${upstream.url}/register` };

    expect((await vendor.leave("alice")).reply.status).toBe(502);
    expect(
      await kit.db.many("SELECT id FROM oauth_registrations WHERE client_id LIKE 'xxx%'"),
    ).toEqual([]);
  });

  test("members of the metadata that name no endpoint may change", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    await vendor.connected("alice");
    vendor.auth.state.metadata = { token_endpoint_auth_methods_supported: ["none"] };

    const { finish } = await vendor.atVendor("bob");

    expect((await finish()).status).toBe(200);
  });

  test("a sign-in that began before a change sends its code nowhere", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    await vendor.connected("alice");
    const [bob, carol] = [await vendor.atVendor("bob"), await vendor.atVendor("carol")];
    const { other } = await switched(vendor, "dave");
    await using _ = other;
    const before = vendor.auth.seen.length;

    expect((await bob.finish()).status).toBe(409);
    await decide(kit, vendor, "confirm");
    expect((await carol.finish()).status).toBe(400);

    expect(vendor.auth.seen.length).toBe(before);
    expect(other.seen).toEqual([]);
  });

  test("an account is renewed at its issuer, regardless of what the server advertises later", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    vendor.auth.state.expires_in = 30;
    await vendor.connected("alice");
    vendor.auth.state.expires_in = 3600;
    await using other = startAuthServer();
    vendor.server.advertises.issuer = other.url;
    await using client = await vendor.store.client("alice");

    expect(await client.call("linear__issues")).toMatchObject({ isError: false });

    expect(vendor.auth.grants()).toEqual(["authorization_code", "refresh_token"]);
    expect(other.seen).toEqual([]);
  });

  test("another node refuses calls to a suspended instance too, and confirms the change for both", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const { token } = await vendor.connected("alice");
    const { database_url, data_dir } = kit;
    await using node = await startKit({ database_url, data_dir });
    await using client = await connectClient(`${node.url}/me/mcp`, {
      authorization: `Bearer ${token}`,
    });
    expect(await client.call("linear__issues")).toMatchObject({ isError: false });
    const { other } = await switched(vendor);
    await using _ = other;

    expect(await client.call("linear__issues")).toMatchObject({ isError: true });
    await decide(node, vendor, "confirm");
    expect((await vendor.leave("bob")).away).toStartWith(other.url);
  });

  test("a catalog entry that is changed to another authorization server needs a confirmation", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    await vendor.leave("alice");
    const entry = `${vendor.store.path}/store/catalog/${encodeURIComponent(vendor.code)}`;
    const authorize_url = "https://login.example.net/authorize";
    const token_url = "https://login.example.net/token";

    const saved = await kit.put(entry, { auth: { type: "oauth", authorize_url, token_url } });
    const { reply } = await vendor.leave("alice");

    expect([saved.status, reply.status]).toEqual([200, 409]);
    expect((await vendor.authorizationServer())?.advertised).toMatchObject({
      token_endpoint: token_url,
    });
  });

  test("the secret of client credentials is sent again when the token endpoint changes", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const auth = {
      type: "client_credentials",
      token_url: "https://login.example.net/tenant-a/token",
      client_id: "gateway",
    };
    const shared = await vendor.store.serve("Shared", vendor.server.url, {
      auth: { ...auth, client_secret: "a-secret" },
    });
    const token_url = "https://login.example.net/tenant-b/token";

    const kept = await kit.put(shared.path, { auth: { ...auth, token_url } });
    const sent = await kit.put(shared.path, {
      auth: { ...auth, token_url, client_secret: "another-secret" },
    });

    expect([kept.status, sent.status]).toEqual([422, 200]);
  });

  test("an instance that an administrator moves to another host starts with no authorization server", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    await using moved = await startVendor(kit);
    await vendor.leave("alice");

    await kit.put(vendor.path, { provider_options: { code: vendor.code, url: moved.server.url } });

    expect(await vendor.authorizationServer()).toBeUndefined();
    expect((await vendor.leave("alice")).away).toStartWith(moved.auth.url);
  });

  test("an authorization server that was found before the instance was moved is not bound", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    await using moved = await startVendor(kit);
    const { gate } = vendor.server.state;
    const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    vendor.server.state.gate = async (request) => {
      arrived.resolve();
      await released.promise;
      return await gate?.(request);
    };

    const started = vendor.leave("alice");
    await arrived.promise;
    await kit.put(vendor.path, { provider_options: { code: vendor.code, url: moved.server.url } });
    released.resolve();

    expect((await started).reply.status).toBe(409);
    expect(await vendor.authorizationServer()).toBeUndefined();
    expect((await vendor.leave("alice")).away).toStartWith(moved.auth.url);
  });

  test("an instance with accounts is not moved to another path than their tokens are for", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    await vendor.connected("alice");
    const moveTo = async (url: string) =>
      await kit.put(vendor.path, { provider_options: { code: vendor.code, url } });

    const other = await moveTo(vendor.server.url.replace("/mcp", "/mcp-of-another-tenant"));
    const below = await moveTo(`${vendor.server.url}/v2`);

    expect([other.status, await other.text()]).toEqual([
      409,
      expect.stringContaining("provider_options.url"),
    ]);
    expect(below.status).toBe(200);
    const statuses: number[] = [];
    for (const path of ["/..%2fother", "/..;/other", "/%2e%2e%5cother", "/%252e%252e%252fother"]) {
      statuses.push((await moveTo(`${vendor.server.url}${path}`)).status);
    }
    expect(statuses).toEqual([409, 409, 409, 409]);
    expect((await moveTo(`${vendor.server.url}/v3/a%20b`)).status).toBe(200);
  });

  test("an instance with accounts is not moved, where tokens are for no resource or principals have their own", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit, undefined, (url) => ({
      url: url.replace("/mcp", "/{team}"),
      fields: [{ key: "team", in: "path" }],
    }));
    const { auth, store, server } = vendor;
    const { cookie, away } = await vendor.leave("alice", { "field.team": "mcp" });
    const own = { client_id: "gateway", client_secret: "secret-of-the-gateway" };
    const redirect_uris = [`${kit.url}/oauth/callback`];
    auth.clients.set(own.client_id, { secret: own.client_secret, redirect_uris });
    const oauth = { authorize_url: `${auth.url}/authorize`, token_url: `${auth.url}/token` };
    const plain = await store.serve("Plain", server.url, {
      auth: { type: "forwarded", ...own },
      entry: { auth: { type: "oauth", ...oauth } },
    });
    const link = `${kit.url}/me/connect/${await store.install("alice", plain.code)}`;
    const other = await fetch(link, { method: "POST", redirect: "manual", headers: { cookie } });
    for (const at of [away, other.headers.get("location") ?? ""]) {
      const back = (await fetch(at, { redirect: "manual" })).headers.get("location") ?? "";
      await fetch(back, { headers: { cookie } });
    }

    const url = server.url.replace("/mcp", "/mcp-of-another-tenant");
    const statuses: number[] = [];
    for (const { path, code } of [vendor, plain]) {
      const reply = await kit.put(path, { provider_options: { code, url, fields: [] } });
      statuses.push(reply.status);
    }

    expect(auth.access.size).toBe(2);
    expect(statuses).toEqual([409, 409]);
  });

  test("a sign-in ends when an administrator changes the address that its account is for", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit, undefined, WITH_TEAM);
    const { store, code, server, path, auth } = vendor;
    const config = `${store.path}/store/principal/installs/${await store.install("alice", code)}/config`;
    let moves = 0;
    const move = () => {
      moves += 1;
      const url = server.url.replace("/mcp", `/tenant-${moves}`);
      return kit.put(path, { provider_options: { code, url } });
    };

    const filled = await vendor.atVendor("alice");
    await kit.put(config, { values: { team: "of-the-administrator" } });
    const afterFilled = await filled.finish();
    const moved = await vendor.atVendor("alice");
    await move();
    const afterMoved = await moved.finish();
    await kit.put(path, { provider_options: { code, url: server.url, fields: [] } });
    const exchanged = await vendor.atVendor("alice");
    auth.state.delay_ms = 300;
    const before = auth.seen.length;
    const finished = exchanged.finish();
    await until(() => auth.seen.length > before);
    await move();

    expect([afterFilled.status, afterMoved.status, (await finished).status]).toEqual([
      400, 400, 409,
    ]);
    expect(await vendor.credential()).toBeUndefined();
  });

  test("a sign-in ends when an administrator fills in a part of the address during its requests to the vendor", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit, undefined, WITH_TEAM);
    const { store, code, server, auth } = vendor;
    const config = `${store.path}/store/principal/installs/${await store.install("alice", code)}/config`;
    const fill = (team: string | null) => kit.put(config, { values: { team } });

    const { gate } = server.state;
    server.state.gate = async (request) => {
      server.state.gate = gate;
      await fill("of-the-administrator");
      return await gate?.(request);
    };
    const { reply } = await vendor.leave("alice");
    await fill(null);
    const exchanged = await vendor.atVendor("alice");
    auth.state.delay_ms = 100;
    const before = auth.seen.length;
    const finished = exchanged.finish();
    await until(() => auth.seen.length > before);
    await fill("of-the-administrator");

    expect([reply.status, (await finished).status]).toEqual([409, 409]);
    expect(await vendor.credential()).toBeUndefined();
  });

  test("no value of an administrator becomes a part of the address that an account is sent to", async () => {
    const kit = await kitOf();
    const team = { key: "team", in: "header", required: false };
    await using vendor = await startVendor(kit, undefined, (url) => ({ url, fields: [team] }));
    const { store, code, server } = vendor;
    await vendor.connected("alice");
    const config = `${store.path}/store/principal/installs/${await store.install("alice", code)}/config`;
    const setFields = async (...fields: object[]) => {
      const provider_options = { code, url: server.url, fields };
      return (await kit.put(vendor.path, { provider_options })).status;
    };

    const filled = await kit.put(config, { values: { team: "of-the-administrator" } });
    const moved = await setFields({ ...team, in: "query" });
    const removed = await setFields();
    const added = await setFields({ ...team, in: "query" }, { ...team, key: "lang", in: "query" });

    expect([filled.status, moved, removed, added]).toEqual([200, 409, 200, 409]);
    expect(await setFields({ ...team, key: "lang", in: "query" })).toBe(200);
  });

  test("a principal whose values lead to another authorization server suspends no other principal", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit, undefined, WITH_TEAM);
    await vendor.connected("alice");
    await using client = await vendor.store.client("alice");
    const { other, reply } = await switched(vendor);
    await using _ = other;

    expect(reply.status).toBe(409);
    expect(await vendor.authorizationServer()).toMatchObject({
      advertised: { issuer: other.url },
      suspended: false,
    });
    expect(await client.call("linear__issues")).toMatchObject({ isError: false });
  });

  test("tokens of principals with different addresses are requested and renewed for their own resource", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit, undefined, WITH_TEAM);
    vendor.auth.state.expires_in = 30;
    const connect = async (principal: string, team: string) => {
      const { cookie, away } = await vendor.leave(principal, { "field.team": team });
      const back = (await fetch(away, { redirect: "manual" })).headers.get("location") ?? "";
      return () => fetch(back, { headers: { cookie } });
    };
    const finishes = [await connect("alice", "one"), await connect("bob", "two")];

    for (const finish of finishes) expect((await finish()).status).toBe(200);
    await using client = await vendor.store.client("alice");
    expect(await client.call("linear__issues")).toMatchObject({ isError: false });

    const sent = vendor.auth.seen.map(({ form }) => [
      form.get("grant_type"),
      form.get("resource")?.split("?")[1],
    ]);
    expect(sent.slice(0, 3)).toEqual([
      ["authorization_code", "team=one"],
      ["authorization_code", "team=two"],
      ["refresh_token", "team=one"],
    ]);
  });

  test("an account whose resource is not recorded is renewed for none, where principals have their own", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit, undefined, WITH_TEAM);
    vendor.auth.state.expires_in = 30;
    await vendor.connected("alice");
    // As an earlier release wrote it.
    const unrecorded = "UPDATE store_credentials SET resource = NULL WHERE instance_id = $1";
    await kit.db.run(unrecorded, vendor.id);
    await vendor.leave("bob", { "field.team": "two" });
    await using client = await vendor.store.client("alice");

    expect(await client.call("linear__issues")).toMatchObject({ isError: false });

    const renewal = vendor.auth.seen.find(({ form }) => form.get("grant_type") === "refresh_token");
    expect(renewal?.form.get("resource")).toBeNull();
  });

  test("a secret is not set for an authorization server that values of a principal determined", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit, undefined, WITH_TEAM);
    await vendor.leave("mallory", { "field.team": "hers" });
    const entry = `${vendor.store.path}/store/catalog/${encodeURIComponent(vendor.code)}`;
    const { url } = vendor.auth;
    const setSecret = () => kit.put(vendor.path, { auth: { type: "forwarded", ...OWN } });

    const refused = await setSecret();
    // Only the issuer differs from what the server advertises.
    await kit.put(entry, {
      auth: { type: "oauth", authorize_url: `${url}/authorize`, token_url: `${url}/token` },
    });
    const named = await setSecret();

    expect([refused.status, await refused.text()]).toEqual([
      409,
      expect.stringContaining("auth.client_secret"),
    ]);
    expect(named.status).toBe(200);
  });

  test("the issuer of a server that the catalog entry names may have a path, but no other host", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    await using named = await startVendor(kit);
    const { url, clients } = named.auth;
    const redirect_uris = [`${kit.url}/oauth/callback`];
    clients.set(OWN.client_id, { secret: OWN.client_secret, redirect_uris });
    await kit.put(`${named.store.path}/store/catalog/${encodeURIComponent(named.code)}`, {
      auth: { type: "oauth", authorize_url: `${url}/authorize`, token_url: `${url}/token` },
    });
    await kit.put(named.path, { auth: { type: "forwarded", ...OWN } });
    const finish = async (at: typeof vendor, iss: string) => {
      at.auth.state.iss = iss;
      return (await (await at.atVendor("alice")).finish()).status;
    };

    expect(await finish(named, `${url}/realms/company`)).toBe(200);
    expect(await finish(named, vendor.auth.url)).toBe(502);
    // The metadata of an advertised server contains its exact issuer (RFC 9207).
    expect(await finish(vendor, `${vendor.auth.url}/realms/company`)).toBe(502);
  });

  test("a catalog entry keeps its token endpoint while an instance has a client secret for it", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const entry = `${vendor.store.path}/store/catalog/${encodeURIComponent(vendor.code)}`;
    const { url } = vendor.auth;
    await kit.put(entry, {
      auth: { type: "oauth", authorize_url: `${url}/authorize`, token_url: `${url}/token` },
    });
    await kit.put(vendor.path, { auth: { type: "forwarded", ...OWN } });

    const refused = [
      await kit.put(entry, { auth: { type: "oauth" } }),
      await kit.put(entry, { auth: { type: "none" } }),
      await kit.call("DELETE", entry),
    ];
    await kit.put(vendor.path, { auth: { type: "forwarded" } });
    const removed = await kit.call("DELETE", entry);

    expect(refused.map(({ status }) => status)).toEqual([409, 409, 409]);
    expect(removed.status).toBe(204);
  });

  test("an address that principals fill in does not decide where an administrator's secret goes", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit, OWN, WITH_TEAM);

    const discovered = await vendor.leave("alice");
    const { url } = vendor.auth;
    await kit.put(vendor.path, { auth: { type: "forwarded" } });
    await kit.put(`${vendor.store.path}/store/catalog/${encodeURIComponent(vendor.code)}`, {
      auth: { type: "oauth", authorize_url: `${url}/authorize`, token_url: `${url}/token` },
    });
    await kit.put(vendor.path, { auth: { type: "forwarded", ...OWN } });

    expect([discovered.reply.status, await discovered.reply.text()]).toEqual([
      409,
      expect.stringContaining("token_url"),
    ]);
    expect((await (await vendor.atVendor("alice")).finish()).status).toBe(200);
  });

  test("an authorization response of another issuer, or without one that was promised, is refused", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);

    vendor.auth.state.iss = "https://attacker.example.net";
    const wrong = await (await vendor.atVendor("alice")).finish();
    vendor.auth.state.iss = null;
    const none = await (await vendor.atVendor("alice")).finish();

    expect([wrong.status, none.status]).toEqual([502, 502]);
    expect(vendor.auth.seen).toEqual([]);
  });

  test("a code of another instance is refused although its authorization server names no issuer", async () => {
    const kit = await kitOf();
    await using honest = await startVendor(kit);
    await using evil = await startVendor(kit);
    for (const { auth } of [honest, evil]) {
      auth.state.iss = null;
      auth.state.metadata = { authorization_response_iss_parameter_supported: false };
    }
    // The attacker's sign-in page sends the browser on to the honest one, with the state of the attacker's flow.
    const victim = await evil.leave("alice");
    const started = new URL(victim.away);
    const known = new URL((await honest.leave("alice")).away);
    const onward = new URL(known);
    for (const name of ["state", "code_challenge"]) {
      onward.searchParams.set(name, started.searchParams.get(name) ?? "");
    }
    const back = (await fetch(onward, { redirect: "manual" })).headers.get("location") ?? "";

    const reply = await fetch(back, { headers: { cookie: victim.cookie } });

    expect(new URL(back).searchParams.get("code")).toStartWith("code-");
    expect(reply.status).toBe(400);
    expect(evil.auth.seen).toEqual([]);
  });
});

describe("the redirect URI", () => {
  const kitOf = sharedKit();

  test("comes from PUBLIC_URL, and not from a Host header that a caller made up", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);

    const { reply } = await vendor.leave("alice", {}, { host: "attacker.example.net" });

    expect([reply.status, await reply.text()]).toEqual([
      500,
      expect.stringContaining("Set PUBLIC_URL"),
    ]);
    expect(vendor.auth.clients.size).toBe(0);
  });

  test("requires PUBLIC_URL where other machines can connect, regardless of the Host header", async () => {
    await using kit = await startKit({ settings: { PORTCULLIS_LISTEN: "0.0.0.0:0" } });
    await using vendor = await startVendor(kit);

    const { reply } = await vendor.leave("alice");

    expect(reply.status).toBe(500);
  });

  test("has its own client, which a node with another PUBLIC_URL does not replace", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    vendor.auth.state.expires_in = 30;
    const { token } = await vendor.connected("alice");
    vendor.auth.state.expires_in = 3600;
    const { database_url, data_dir } = kit;
    const settings = { PUBLIC_URL: "https://gateway.example.com/prefix" };
    await using other = await startKit({ database_url, data_dir, settings });

    const { link } = await vendor.installed("bob");
    const away = await vendor.leave("bob", {}, {}, link.replace(kit.url, other.url));
    await using client = await connectClient(`${other.url}/me/mcp`, {
      authorization: `Bearer ${token}`,
    });

    expect(new URL(away.away).searchParams.get("redirect_uri")).toStartWith(
      "https://gateway.example.com/prefix/oauth/callback/",
    );
    expect(await client.call("linear__issues")).toMatchObject({ isError: false });
    expect(vendor.auth.grants()).toEqual(["authorization_code", "refresh_token"]);
  });
});
