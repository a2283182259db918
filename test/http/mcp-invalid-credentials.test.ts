/** Credentials that cannot be sent: with characters that no header contains, or that no key decrypts. */
import { expect, test } from "bun:test";
import { openBrowser } from "../kit/browser.ts";
import { sharedKit } from "../kit/kit.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";
import { startVendor } from "../kit/vendor.ts";

const kitOf = sharedKit();

test.each([
  ["a line break and a header", "a\r\nX-Admin: yes"],
  ["a line break", "a\nb"],
  ["a NUL", "a\0b"],
  ["letters that no header can contain", "ключ"],
  ["8,193 characters", "a".repeat(8193)],
])("a key with %s is rejected when a principal enters it", async (_, api_key) => {
  const kit = await kitOf();
  const store = await makeMcpStore(kit);
  const served = await store.serve("Keyed", "http://127.0.0.1:9/mcp", {
    auth: { type: "principal_key" },
  });
  const install = await store.install("alice", served.code);
  const link = `${kit.url}/me/connect/${install}`;
  const browser = openBrowser();
  await browser.submit(link, { token: await store.token("alice") });

  const page = await browser.submit(link, { "field.api_key": api_key });

  expect(page.status).toBe(422);
  expect(await page.text()).toContain("values.api_key: ");
  expect(await (await browser.visit(link)).text()).toContain("Enter the values");
  const path = `${store.path}/store/principal/installs/${install}/config`;
  expect((await kit.put(path, { values: { api_key } })).status).toBe(422);
});

test("a value of the address may have letters that no header can contain", async () => {
  const kit = await kitOf();
  const store = await makeMcpStore(kit);
  const fields = [{ key: "team", in: "query", required: false }];
  const options = { options: { fields } };
  const served = await store.serve("Teams", "http://127.0.0.1:9/mcp", options);
  const install = await store.install("alice", served.code);
  const path = `${store.path}/store/principal/installs/${install}/config`;

  expect((await kit.put(path, { values: { team: "ключ" } })).status).toBe(200);
});

test.each(["a\r\nX-Admin: yes", "ключ", ""])(
  "an account whose token no header can contain is not connected: %j",
  async (access_token) => {
    const kit = await kitOf();
    await using vendor = await startVendor(kit);
    vendor.auth.state.more = { access_token };
    const { finish } = await vendor.atVendor("alice");

    const page = await finish();

    expect(page.status).toBe(502);
    expect(await page.text()).toContain("access token that cannot be sent");
    expect(await vendor.credential()).toBeUndefined();
  },
);

/** A vendor with an instance that the gateway signs in to itself. */
async function startSharedVendor() {
  const vendor = await startVendor(await kitOf());
  const { store, auth, server } = vendor;
  auth.clients.set("gateway", { secret: "s", redirect_uris: [] });
  const shared = await store.serve("Shared", server.url, {
    auth: {
      type: "client_credentials",
      token_url: `${auth.url}/token`,
      client_id: "gateway",
      client_secret: "s",
    },
  });
  await store.install("alice", shared.code);
  return { ...vendor, id: shared.id };
}

test.each(["a\r\nX-Admin: yes", ""])(
  "a token of the gateway that no header can contain is not sent: %j",
  async (access_token) => {
    await using vendor = await startSharedVendor();
    vendor.auth.state.more = { access_token };
    await using alice = await vendor.store.client("alice");

    const { text } = await alice.call("shared__issues");

    expect(text).toContain("returned 200 without a usable token");
  },
);

test("a client secret of the gateway that no key decrypts is reported, and no request is sent without it", async () => {
  await using vendor = await startSharedVendor();
  await loseSecret(vendor.id);
  await using alice = await vendor.store.client("alice");

  const { text } = await alice.call("shared__issues");

  expect(text).toContain("The client secret cannot be decrypted.");
  expect(vendor.auth.seen).toEqual([]);
});

test("a client secret that no key decrypts is reported, and no request is sent without it", async () => {
  const kit = await kitOf();
  await using vendor = await startVendor(kit, { client_id: "c", client_secret: "s" });
  const { finish } = await vendor.atVendor("alice");
  await loseSecret(vendor.id);

  const pages = [await finish(), (await vendor.leave("bob")).reply];

  for (const page of pages) {
    expect(page.status).toBe(502);
    expect(await page.text()).toContain("The client secret cannot be decrypted.");
  }
  expect(vendor.auth.seen).toEqual([]);
});

/** Replaces the client secret of an instance by one that no key decrypts. */
async function loseSecret(id: string) {
  const { db } = await kitOf();
  const row = await db.one<{ auth: string }>("SELECT auth FROM registries WHERE id = $1", id);
  const auth = (row?.auth ?? "").replace(/sealed:v2:[\w-]+:[\w-]+/, "sealed:v2:gone:AAAA");
  await db.run("UPDATE registries SET auth = $1 WHERE id = $2", auth, id);
}
