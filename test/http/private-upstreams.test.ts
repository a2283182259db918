import { describe, expect, test } from "bun:test";
import { localActor } from "../../src/admin/perform.ts";
import { applyConfig } from "../../src/config-file/apply.ts";
import { readConfigFile } from "../../src/config-file/read-file.ts";
import { makeConsumer } from "../kit/dataplane.ts";
import { makeDetector, makeGuard, unique } from "../kit/guard.ts";
import { type Kit, sharedKit, startKit } from "../kit/kit.ts";
import { startUpstream } from "../kit/upstream.ts";

const slug = (word: string) => unique(word).replace(" ", "-");
const allow_private = true;

interface Made {
  id: string;
  code: string;
  provider_options: object;
}

/** Every resource that can allow private addresses: where it is created, a body, and one that moves its address. */
const RESOURCES: [string, string, () => object, (made: Made) => object][] = [
  [
    "AI registry",
    "/registries",
    () => ({
      name: unique("registry"),
      provider: "openai_compatible",
      provider_options: { base_url: "http://127.0.0.1:9" },
      allow_private,
    }),
    () => ({ provider_options: { base_url: "http://127.0.0.1:10" } }),
  ],
  [
    "MCP registry",
    "/registries",
    () => ({
      name: unique("server"),
      type: "mcp",
      provider_options: { url: "http://127.0.0.1:9/mcp" },
      allow_private,
    }),
    ({ provider_options }) => ({
      provider_options: { ...provider_options, url: "http://127.0.0.1:10/mcp" },
    }),
  ],
  [
    "issuer",
    "/store/issuers",
    () => ({
      name: unique("issuer"),
      issuer: `https://${slug("id")}.example.com`,
      audience: "portcullis",
      jwks_url: "http://127.0.0.1:9/keys",
      allow_private,
    }),
    () => ({ jwks_url: "http://127.0.0.1:10/keys" }),
  ],
  [
    "catalog entry",
    "/store/catalog",
    () => ({
      code: slug("acme/entry"),
      name: "Entry",
      url: "http://127.0.0.1:9/mcp",
      allow_private,
    }),
    () => ({ url: "http://127.0.0.1:10/mcp" }),
  ],
  [
    "detector",
    "/detectors",
    () => ({
      name: unique("detector"),
      kind: "http",
      settings: { url: "http://127.0.0.1:9/check", allow_private },
    }),
    () => ({ settings: { url: "http://127.0.0.1:9/other", allow_private } }),
  ],
];

const gatewayOf = (kit: Kit) =>
  kit.make<{ id: string; slug: string }>("/v1/gateways", { name: unique("Gateway") });
const pathFor = async (kit: Kit, path: string) =>
  path === "/detectors" ? "/v1/detectors" : `/v1/gateways/${(await gatewayOf(kit)).id}${path}`;

async function adminHeaders(kit: Kit, members = {}): Promise<Record<string, string>> {
  const body = { name: unique("admin"), role: "admin", ...members };
  const { token } = await kit.make<{ token: string }>("/v1/tokens", body);
  return { authorization: `Bearer ${token}` };
}

describe("allow_private is an owner's decision", () => {
  const kit = sharedKit();

  test.each(RESOURCES)("%s", async (_, path, bodyOf, movedOf) => {
    const shared = await kit();
    const headers = await adminHeaders(shared);
    const at = await pathFor(shared, path);

    const refused = await shared.post(at, bodyOf(), headers);
    const made = await shared.make<Made>(at, bodyOf());
    const one = `${at}/${made.id ?? encodeURIComponent(made.code)}`;
    const renamed = await shared.put(one, { name: unique("renamed") }, headers);
    const moved = await shared.put(one, movedOf(made), headers);
    const movedByOwner = await shared.put(one, movedOf(made));

    expect(await refused.json()).toMatchObject({ error: "forbidden" });
    expect([refused.status, renamed.status, moved.status, movedByOwner.status]).toEqual([
      403, 200, 403, 200,
    ]);
  });

  test.each(RESOURCES.filter(([, path]) => path !== "/detectors"))(
    "%s: not of an owner whose token is limited to gateways",
    async (_, path, bodyOf, movedOf) => {
      const shared = await kit();
      const { id } = await gatewayOf(shared);
      const headers = await adminHeaders(shared, { role: "owner", gateway_ids: [id] });
      const at = `/v1/gateways/${id}${path}`;

      const refused = await shared.post(at, bodyOf(), headers);
      const made = await shared.make<Made>(at, bodyOf());
      const one = `${at}/${made.id ?? encodeURIComponent(made.code)}`;
      const renamed = await shared.put(one, { name: unique("renamed") }, headers);
      const moved = await shared.put(one, movedOf(made), headers);

      expect(await refused.json()).toMatchObject({
        message: expect.stringContaining("only an owner of all gateways"),
      });
      expect([refused.status, renamed.status, moved.status]).toEqual([403, 200, 403]);
    },
  );

  test("an administrator cannot turn it on, but can replace a key, and turn it off", async () => {
    const shared = await kit();
    const headers = await adminHeaders(shared);
    const at = await pathFor(shared, "/registries");
    const auth = { type: "api_key", api_key: "sk-upstream-secret-one" };
    const body = { name: unique("registry"), provider: "openai", auth };
    const { id } = await shared.make(at, body);
    const statusOf = async (changes: object, as?: Record<string, string>) =>
      (await shared.put(`${at}/${id}`, changes, as)).status;

    expect(await statusOf({ allow_private: true }, headers)).toBe(403);
    expect(await statusOf({ allow_private: true })).toBe(200);
    const replaced = { auth: { type: "api_key", api_key: "sk-upstream-secret-two" } };
    expect(await statusOf(replaced, headers)).toBe(200);
    expect(await statusOf({ allow_private: false }, headers)).toBe(200);
  });

  test("an administrator can choose the tools of an MCP server at a private address", async () => {
    const shared = await kit();
    const headers = await adminHeaders(shared);
    const at = await pathFor(shared, "/registries");
    const provider_options = { url: "http://127.0.0.1:9/mcp" };
    const { id } = await shared.make(at, {
      name: unique("server"),
      type: "mcp",
      provider_options,
      allow_private,
    });

    const chosen = { allowed_tools: ["read"], tool_aliases: { read: "look" } };
    const saved = await shared.put(
      `${at}/${id}`,
      { provider_options: { ...provider_options, ...chosen } },
      headers,
    );

    expect(await saved.json()).toMatchObject({ provider_options: chosen });
  });

  test("the OAuth endpoints of a catalog entry, which its instances call with their own permission", async () => {
    const shared = await kit();
    const headers = await adminHeaders(shared);
    const gateway = `/v1/gateways/${(await gatewayOf(shared)).id}`;
    const code = slug("acme/entry");
    const entry = { code, name: "Entry", url: "https://mcp.example.net/mcp" };
    const one = `${gateway}/store/catalog/${encodeURIComponent(code)}`;
    const oauth = (host: string) => ({
      auth: {
        type: "oauth",
        authorize_url: `https://${host}/authorize`,
        token_url: `https://${host}/token`,
      },
    });
    await shared.make(`${gateway}/store/catalog`, { ...entry, auth: { type: "oauth" } });
    const before = await shared.put(one, oauth("one.example.net"), headers);
    await shared.make(`${gateway}/registries`, {
      name: unique("server"),
      type: "mcp",
      provider_options: { code, url: "http://127.0.0.1:9/mcp" },
      auth: { type: "forwarded" },
      allow_private,
    });

    const moved = await shared.put(one, oauth("internal.example.net"), headers);
    const renamed = await shared.put(one, { name: "Renamed" }, headers);
    const movedByOwner = await shared.put(one, oauth("two.example.net"));
    const deleted = await shared.delete(one, headers);
    const again = { ...entry, ...oauth("internal.example.net") };
    const created = await shared.post(`${gateway}/store/catalog`, again, headers);

    const replies = [before, moved, renamed, movedByOwner, deleted, created];
    expect(replies.map(({ status }) => status)).toEqual([200, 403, 200, 200, 204, 403]);
  });

  test("a pinned version of a policy whose detector had it, until an owner withdrew it", async () => {
    const shared = await kit();
    const headers = await adminHeaders(shared);
    const url = "https://detector.example.net/check";
    const detector = await makeDetector(shared, "http", { url, allow_private });
    const rules = [{ detector_id: detector.id, action: "block" }];
    const guard = await makeGuard(shared, { input_rules: rules });
    const collector = `/v1/collectors/${guard.collector.id}`;
    const pin = { default_policy_version: 1 };
    const override = { policy_id: guard.policy.id, policy_version: 1 };

    const before = await shared.put(collector, pin, headers);
    await shared.put(collector, { default_policy_version: null }, headers);
    await shared.put(`/v1/detectors/${detector.id}`, { settings: { url, allow_private: false } });
    const pinned = await shared.put(collector, pin, headers);
    const overridden = await shared.put(`${collector}/overrides/ana`, override, headers);
    const byOwner = await shared.put(collector, pin);
    const renamed = await shared.put(collector, { name: unique("renamed") }, headers);

    const replies = [before, pinned, overridden, byOwner, renamed];
    expect(replies.map(({ status }) => status)).toEqual([200, 403, 403, 200, 200]);
  });

  test("a connection test of an unsaved registry", async () => {
    const shared = await kit();
    await using upstream = startUpstream({ body: { data: [] } });
    const at = `${await pathFor(shared, "/registries")}/test-connection`;
    const provider_options = { base_url: `${upstream.url}/v1` };
    const body = { name: "draft", provider: "openai_compatible", provider_options, allow_private };

    expect((await shared.post(at, body, await adminHeaders(shared))).status).toBe(403);
    expect(upstream.hits).toEqual([]);
    expect(await (await shared.post(at, body)).json()).toMatchObject({ ok: true });
  });

  test("a catalog import", async () => {
    const shared = await kit();
    const at = `${await pathFor(shared, "/store/catalog")}/import`;
    const body = { registry_url: "http://127.0.0.1:9", allow_private };

    expect((await shared.post(at, body, await adminHeaders(shared))).status).toBe(403);
    expect((await shared.post(at, body)).status).toBe(502);
  });
});

test("a configuration file is applied with the role of its actor", async () => {
  await using kit = await startKit();
  const { slug: gateway } = await gatewayOf(kit);
  const text = `
version: 1
gateways:
  - slug: ${gateway}
    name: Gateway
    registries:
      - name: Private
        provider: openai_compatible
        provider_options: {base_url: "http://127.0.0.1:9"}
        allow_private: true
`;
  const source = readConfigFile(text, { file: "config.yaml", env: {}, keepSecrets: false });
  const owner = localActor("owner");
  const applyAs = (role: "owner" | "admin") =>
    applyConfig(kit.deps, source, { actor: { ...owner, role }, prune: false, dryRun: false });

  expect(applyAs("admin")).rejects.toThrow(/Private: allow_private: only an owner/);
  expect((await applyAs("owner")).steps.length).toBeGreaterThan(0);
});

test("ALLOW_PRIVATE_UPSTREAMS=false rejects private addresses, including stored ones, and the demo works", async () => {
  await using upstream = startUpstream({ body: { id: "1", choices: [] } });
  await using kit = await startKit();
  const url = `${upstream.url}/v1`;
  const stored = await makeConsumer(kit, [{ provider: "openai_compatible", url }]);
  const demo = await makeConsumer(kit, [{ provider: "demo", url: "" }], {});
  const { database_url, data_dir } = kit;
  const settings = { ALLOW_PRIVATE_UPSTREAMS: "false" };
  await using strict = await startKit({ database_url, data_dir, settings });
  const chat = ({ slug: consumer, key }: typeof stored, model: string, at: Kit) =>
    fetch(`${at.url}/${consumer}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-ag-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
    });

  const open = await chat(stored, "any", kit);
  const closed = await chat(stored, "any", strict);
  const demoReply = await chat(demo, "demo-chat", strict);

  expect([open.status, closed.status, demoReply.status]).toEqual([200, 502, 200]);
  expect(upstream.hits.length).toBe(1);
  for (const [, path, bodyOf] of RESOURCES) {
    const refused = await strict.post(await pathFor(strict, path), bodyOf());
    expect([refused.status, (await refused.json()).message]).toEqual([
      422,
      expect.stringContaining("ALLOW_PRIVATE_UPSTREAMS"),
    ]);
  }
});
