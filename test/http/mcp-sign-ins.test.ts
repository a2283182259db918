/** Accounts and values of a principal are used only by the sign-in that gave them, not by every token in their name. */
import { describe, expect, test } from "bun:test";
import { openBrowser } from "../kit/browser.ts";
import { newSigningKey, startIssuer } from "../kit/issuer.ts";
import { sharedKit } from "../kit/kit.ts";
import { connectClient } from "../kit/mcp-client.ts";
import { databaseKinds } from "../kit/services.ts";
import { until } from "../kit/until.ts";
import { startVendor, type Vendor } from "../kit/vendor.ts";

describe.each(databaseKinds)("on %s", (database) => {
  const kitOf = sharedKit({ database });
  const clientOf = async (token: string) =>
    connectClient(`${(await kitOf()).url}/me/mcp`, { authorization: `Bearer ${token}` });

  test("a token that an administrator makes later cannot use accounts that the principal connected", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const { token, link } = await vendor.connected("alice");
    const minted = await vendor.store.newToken("alice");
    await using attacker = await clientOf(minted);
    await using alice = await clientOf(token);

    const result = await attacker.call("linear__issues");

    expect(result).toMatchObject({ isError: true, structured: { connect_url: link } });
    expect(await attacker.tools()).toContain("connect_linear");
    const installed = await attacker.call("store_install", { code: vendor.code });
    expect(installed.structured).toMatchObject({ already_installed: true, requires_auth: true });
    expect(await alice.call("linear__issues")).toMatchObject({ isError: false });
    expect(vendor.server.calls).toHaveLength(1);
  });

  test("an account that another sign-in connects is not used by those of the first", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const { token, link } = await vendor.connected("alice");
    const browser = openBrowser();
    await browser.submit(link, { token: await vendor.store.newToken("alice") });
    expect(await (await browser.visit(link)).text()).toContain(
      "connected with another of your tokens",
    );
    await browser.submit(link, {});
    await using alice = await clientOf(token);

    expect(await alice.call("linear__issues")).toMatchObject({ isError: true });
  });

  test("a sign-in at the vendor is finished only by the token that began it", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const { link, token } = await vendor.installed("alice");
    const { back } = await vendor.atVendor("alice");
    const other = openBrowser();
    await other.submit(link, { token: await vendor.store.newToken("alice") });

    expect((await other.visit(back)).status).toBe(403);
    const own = openBrowser();
    await own.submit(link, { token });
    expect((await own.visit(back)).status).toBe(200);
  });

  test("values that a principal filled in are not used by another token, those of an administrator are", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const { store, server } = vendor;
    server.state.gate = undefined;
    const { code } = await store.serve("Keyed", server.url, { auth: { type: "principal_key" } });
    const id = await store.install("alice", code);
    const link = `${kit.url}/me/connect/${id}`;
    const browser = openBrowser();
    await browser.submit(link, { token: await store.token("alice") });
    await browser.submit(link, { "field.api_key": "key-of-alice" });
    await using alice = await clientOf(await store.token("alice"));
    await using other = await clientOf(await store.newToken("alice"));

    expect(await alice.call("keyed__issues")).toMatchObject({ isError: false });
    expect(await other.call("keyed__issues")).toMatchObject({ isError: true });
    await kit.put(`${store.path}/store/principal/installs/${id}/config`, {
      values: { api_key: "key-of-the-company" },
    });
    expect(await other.call("keyed__issues")).toMatchObject({ isError: false });
  });

  test("an administrator fills in no part of an address to which a principal's account or key is sent", async () => {
    const kit = await kitOf();
    const fields = [{ key: "team", in: "query", required: false }];
    await using vendor = await startVendor(kit, undefined, (url) => ({ url, fields }));
    const { store, server } = vendor;
    const keyed = await store.serve("Keyed", server.url, {
      auth: { type: "principal_key" },
      options: { fields },
    });
    const installs = [
      await store.install("alice", vendor.code),
      await store.install("alice", keyed.code),
    ];
    const fill = async (team: string | null) => {
      const statuses: number[] = [];
      for (const id of installs) {
        const path = `${store.path}/store/principal/installs/${id}/config`;
        statuses.push((await kit.put(path, { values: { team } })).status);
      }
      return statuses;
    };

    const before = await fill("one");
    const { browser } = await vendor.connected("alice");
    await browser.submit(`${kit.url}/me/connect/${installs[1]}`, { "field.api_key": "key" });
    const after = await fill("of-the-administrator");

    expect([before, after]).toEqual([
      [200, 200],
      [409, 409],
    ]);
    expect(await fill(null)).toEqual([200, 200]);
  });

  test("an administrator moves no instance to which a principal's key is sent to another path", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const { store, server } = vendor;
    const { code, path } = await store.serve("Keyed", server.url, {
      auth: { type: "principal_key" },
    });
    const install = await store.install("alice", code);
    const moveTo = async (name: string) => {
      const url = server.url.replace("/mcp", name);
      return (await kit.put(path, { provider_options: { code, url } })).status;
    };

    const values = { api_key: "key-of-the-company" };
    await kit.put(`${store.path}/store/principal/installs/${install}/config`, { values });
    const before = await moveTo("/sse");
    const browser = openBrowser();
    const link = `${kit.url}/me/connect/${install}`;
    await browser.submit(link, { token: await store.token("alice") });
    await browser.submit(link, { "field.api_key": "key-of-alice" });

    expect([before, await moveTo("/mcp-of-another-tenant")]).toEqual([200, 409]);
    expect(await moveTo("/sse/v2")).toBe(200);
  });

  /** Lets a vendor delay a call of alice, changes the address, connects alice there, and lets the vendor reject the credential. */
  async function delayCall(vendor: Vendor, token: string, change: () => Promise<unknown>) {
    await using alice = await clientOf(token);
    await alice.tools();
    const { gate } = vendor.server.state;
    const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const received: string[] = [];
    vendor.server.state.gate = async (request) => {
      if (!(await request.clone().text()).includes("tools/call")) return await gate?.(request);
      received.push(request.headers.get("authorization") ?? "");
      arrived.resolve();
      await released.promise;
      return new Response(null, { status: 401 });
    };
    const delayed = alice.call("linear__issues");
    await arrived.promise;
    await change();
    released.resolve();
    const result = await delayed;
    vendor.server.state.gate = gate;
    return { received, result, next: await alice.call("linear__issues") };
  }

  test("a call that its server delays until the instance is moved does not use the account of the new address", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    await using other = await startVendor(kit);
    const { store, code, path } = vendor;
    const { token } = await vendor.connected("alice");

    const { received, result, next } = await delayCall(vendor, token, async () => {
      const installs = `${store.path}/store/principal/installs`;
      await kit.delete(`${installs}/${await store.install("alice", code)}`);
      await kit.put(path, { provider_options: { code, url: other.server.url } });
      await vendor.connected("alice");
    });

    expect(result).toMatchObject({ isError: true, text: expect.stringContaining("Repeat") });
    expect(received).toHaveLength(1);
    expect(next).toMatchObject({ isError: false });
    expect(other.server.calls).toHaveLength(1);
  });

  test("a call that its server delays until a value of the address is another does not use the account of the new address", async () => {
    const kit = await kitOf();
    const fields = [{ key: "team", in: "query", required: false }];
    await using vendor = await startVendor(kit, undefined, (url) => ({ url, fields }));
    const id = await vendor.store.install("alice", vendor.code);
    const fill = (team: string | null) =>
      kit.put(`${vendor.store.path}/store/principal/installs/${id}/config`, { values: { team } });
    await fill("first");
    const { token } = await vendor.connected("alice");

    const { received, result, next } = await delayCall(vendor, token, async () => {
      await fill(null);
      await vendor.connected("alice");
    });

    expect(result).toMatchObject({ isError: true, text: expect.stringContaining("Repeat") });
    expect(received).toHaveLength(1);
    expect(next).toMatchObject({ isError: false });
  });

  test("a principal sees the tokens in their name, rotates their own and keeps the accounts", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const { token } = await vendor.connected("alice");
    await vendor.store.newToken("alice");
    const browser = openBrowser();
    const page = await browser.submit(`${kit.url}/me?tab=tokens`, { token });
    const text = await page.text();
    expect(text.match(/First owner/g)).toHaveLength(2);
    expect(text.match(/Uses your accounts/g)).toHaveLength(1);
    expect(text).toContain("Rotate the token you are signed in with");

    // The commands of the page contain the host that the browser sends.
    const host = "$(id).example";
    const body = new URLSearchParams({ token });
    const signIn = { method: "POST", redirect: "manual", body, headers: { host } } as const;
    const { headers } = await fetch(`${kit.url}/me`, signIn);
    const cookie = headers.get("set-cookie")?.split(";")[0] ?? "";
    const clients = await fetch(`${kit.url}/me?tab=clients`, { headers: { host, cookie } });
    expect(await clients.text()).toContain("company &#39;http://$(id).example/me/mcp&#39;");

    const rotated = await (await browser.submit(`${kit.url}/me`, { action: "rotate" })).text();
    const next = /pp_[\w-]{43}/.exec(rotated)?.[0] ?? "";
    await using client = await clientOf(next);

    expect(await client.call("linear__issues")).toMatchObject({ isError: false });
    const { expires_at } = (await kit.db.one<{ expires_at: string }>(
      "SELECT expires_at FROM principal_tokens WHERE gateway_id = $1 AND expires_at IS NOT NULL",
      vendor.store.gateway.id,
    )) ?? { expires_at: "" };
    expect(Date.parse(expires_at)).toBeLessThanOrEqual(Date.now() + 3_600_000);
    expect(kit.lines.join("\n")).not.toContain(next);
  });

  test("a rotated token shares its accounts with no copy, and with no token that was added before", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const { store } = vendor;
    const own = await store.serve("Own", vendor.server.url, { auth: { type: "principal_key" } });
    const { token: given, link } = await vendor.installed("alice");
    // The administrator who made it has a copy, enters a value with it, and adds it to other tokens and the reverse.
    const [before, after] = [await store.newToken("alice"), await store.newToken("alice")];
    const administrator = openBrowser();
    await administrator.submit(`${kit.url}/me`, { token: before });
    await administrator.submit(`${kit.url}/me`, { action: "add", added: given });
    await administrator.submit(`${kit.url}/me`, { token: given });
    await administrator.submit(`${kit.url}/me`, { action: "add", added: after });
    const install = await store.install("alice", own.code);
    await administrator.submit(`${kit.url}/me/connect/${install}`, { "field.api_key": "key" });

    const alice = openBrowser();
    await alice.submit(`${kit.url}/me`, { token: given });
    const rotated = await (await alice.submit(`${kit.url}/me`, { action: "rotate" })).text();
    const next = /pp_[\w-]{43}/.exec(rotated)?.[0] ?? "";
    await alice.submit(link, {});

    const isError: boolean[] = [];
    for (const token of [next, given, before, after]) {
      await using client = await clientOf(token);
      isError.push((await client.call("linear__issues")).isError);
    }
    expect(isError).toEqual([false, true, true, true]);
  });

  test("an account of a token that is rotated during its sign-in at the vendor is not saved", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const { token } = await vendor.installed("alice");
    const added = await vendor.store.newToken("alice");
    const browser = openBrowser();
    await browser.submit(`${kit.url}/me`, { token });
    await browser.submit(`${kit.url}/me`, { action: "add", added });
    const { finish } = await vendor.atVendor("alice");
    vendor.auth.state.delay_ms = 300;

    const finished = finish();
    await until(() => vendor.auth.seen.length > 0);
    await browser.submit(`${kit.url}/me`, { action: "rotate" });

    expect((await finished).status).toBe(403);
    await using copy = await clientOf(added);
    expect(await copy.call("linear__issues")).toMatchObject({ isError: true });
  });

  test("a rotated token that was added to a login or a token uses no account of it, nor a later one", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const key = await newSigningKey("EdDSA", "a");
    await using idp = await startIssuer(key);
    const audience = crypto.randomUUID();
    await kit.make(`${vendor.store.path}/store/issuers`, {
      name: "Company",
      issuer: "https://login.example.com",
      audience,
      jwks_url: idp.jwks_url,
      allow_private: true,
    });
    const { token, link } = await vendor.installed("alice");
    for (const own of [await idp.sign(key, { aud: audience }), token]) {
      const added = await vendor.store.newToken("alice");
      const alice = openBrowser();
      await alice.submit(link, { token: own });
      await alice.submit(link, {});
      await alice.submit(`${kit.url}/me`, { action: "add", added });
      await using copy = await clientOf(added);
      expect(await copy.call("linear__issues")).toMatchObject({ isError: false });
      const other = openBrowser();
      await other.submit(`${kit.url}/me`, { token: added });
      await other.submit(`${kit.url}/me`, { action: "rotate" });

      expect(await copy.call("linear__issues")).toMatchObject({ isError: true });
      await alice.submit(link, {});
      expect(await copy.call("linear__issues")).toMatchObject({ isError: true });
    }
  });

  test("a principal adds a token that they hold, and both use the same accounts", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const { token } = await vendor.connected("alice");
    const second = await vendor.store.newToken("alice");
    const browser = openBrowser();
    await browser.submit(`${kit.url}/me`, { token });
    const add = (added: string) => browser.submit(`${kit.url}/me`, { action: "add", added });

    expect((await add(await vendor.store.token("bob"))).status).toBe(403);
    expect((await add("pp_unknown")).status).toBe(401);
    expect((await add("e30.e30.AA")).status).toBe(400);
    expect((await add(second)).status).toBe(200);

    await using client = await clientOf(second);
    expect(await client.call("linear__issues")).toMatchObject({ isError: false });
  });

  test("a principal revokes a token in their own name and none of anybody else", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const [mine, other] = [await vendor.store.token("alice"), await vendor.store.newToken("alice")];
    const bobs = await vendor.store.token("bob");
    const idOf = async (token: string) =>
      (
        await kit.db.one<{ id: string }>(
          "SELECT id FROM principal_tokens WHERE hash = $1",
          Bun.SHA256.hash(token, "hex"),
        )
      )?.id ?? "";
    const browser = openBrowser();
    await browser.submit(`${kit.url}/me`, { token: mine });
    const revoke = async (token: string) =>
      (await browser.submit(`${kit.url}/me`, { action: "revoke", id: await idOf(token) })).status;

    expect([await revoke(bobs), await revoke(other)]).toEqual([404, 200]);
    expect(
      (await fetch(`${kit.url}/v0.1/servers`, { headers: { authorization: `Bearer ${other}` } }))
        .status,
    ).toBe(401);
    expect(
      (await fetch(`${kit.url}/v0.1/servers`, { headers: { authorization: `Bearer ${bobs}` } }))
        .status,
    ).toBe(200);
    const foreign = await browser.submit(
      `${kit.url}/me`,
      { action: "rotate" },
      "https://evil.example",
    );
    expect(foreign.status).toBe(403);
  });

  test("an account connected by an identity provider is not used after an administrator changes its keys", async () => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    const [key, stolen] = [await newSigningKey("EdDSA", "a"), await newSigningKey("EdDSA", "b")];
    await using idp = await startIssuer(key);
    await using attacker = await startIssuer(stolen);
    const issuers = `${vendor.store.path}/store/issuers`;
    const audience = crypto.randomUUID();
    const issuer = {
      name: "Company",
      issuer: "https://login.example.com",
      audience,
      jwks_url: idp.jwks_url,
      allow_private: true,
    };
    const { id } = await kit.make(issuers, issuer);
    const claims = { aud: audience };
    const link = (await vendor.installed("alice")).link;
    const browser = openBrowser();
    await browser.submit(link, { token: await idp.sign(key, claims) });
    expect((await browser.submit(link, {})).status).toBe(200);
    const call = async (token: string) => {
      await using client = await clientOf(token);
      return (await client.call("linear__issues")).isError;
    };
    expect(await call(await idp.sign(key, claims))).toBe(false);

    await kit.put(`${issuers}/${id}`, { jwks_url: attacker.jwks_url });

    expect(await call(await attacker.sign(stolen, claims))).toBe(true);
    expect(await call(await vendor.store.token("alice"))).toBe(true);
  });
});
