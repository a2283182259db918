/** Secrets are masked on read, kept when sent masked, sealed in the database and never logged. */
import { describe, expect, test } from "bun:test";
import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sealContextOf } from "../../src/db/sealed-columns.ts";
import { seal } from "../../src/lib/crypto/seal.ts";
import { makeConsumer } from "../kit/dataplane.ts";
import { makeGuardWithRules } from "../kit/guard.ts";
import { sharedKit, startKit } from "../kit/kit.ts";
import { runProgram } from "../kit/program.ts";
import { databaseKinds } from "../kit/services.ts";
import { until } from "../kit/until.ts";
import { startUpstream } from "../kit/upstream.ts";

const PLANTED = "planted-7f3a9c2e5b8d1046-secret";
const registryBody = (secret = PLANTED) => ({
  name: `r-${crypto.randomUUID()}`,
  provider: "openai_compatible",
  provider_options: {
    base_url: "https://upstream.example.com/v1",
    headers: { "x-extra": `${secret}-header` },
  },
  auth: { type: "api_key", api_key: secret },
});
interface Shown {
  id: string;
  auth: { api_key: string };
  provider_options: { base_url: string; headers: Record<string, string> };
}

describe.each(databaseKinds)("%s", (database) => {
  const started = sharedKit({ database });
  const fixture = async () => {
    const kit = await started();
    const gateway = await kit.make("/v1/gateways", { name: "g" });
    const path = `/v1/gateways/${gateway.id}/registries`;
    const registry = await kit.make<Shown>(path, registryBody());
    const stored = () => kit.deps.snapshot().registries.get(registry.id)?.upstream;
    return { kit, path, registry, stored, one: `${path}/${registry.id}` };
  };

  test("a secret is shown as *** and its last four characters, on create, get and list", async () => {
    const { kit, one, path, registry } = await fixture();

    const got = (await (await kit.get(one)).json()) as Shown;
    const listed = await (await kit.get(path)).text();

    expect(registry.auth.api_key).toBe("***cret");
    expect(got.provider_options.headers).toEqual({ "x-extra": "***ader" });
    expect(listed).not.toContain(PLANTED);
  });

  test("a masked or empty value on update keeps the stored one", async () => {
    const { kit, one, registry, stored } = await fixture();

    await kit.put(one, { auth: registry.auth, provider_options: registry.provider_options });
    await kit.put(one, { auth: { type: "api_key", api_key: "" }, name: "renamed" });

    expect(stored()?.api_key).toBe(PLANTED);
    expect(stored()?.options.headers).toEqual({ "x-extra": `${PLANTED}-header` });
  });

  test("a new value on update replaces the stored one", async () => {
    const { kit, one, stored } = await fixture();

    await kit.put(one, { auth: { type: "api_key", api_key: "another-secret-value" } });

    expect(stored()?.api_key).toBe("another-secret-value");
  });

  test.each([["***"], ["***abcd"], [""]])("the value '%s' on create is 422", async (api_key) => {
    const { kit, path } = await fixture();

    const reply = await kit.post(path, { ...registryBody(), auth: { type: "api_key", api_key } });

    expect(reply.status).toBe(422);
    expect(await reply.json()).toMatchObject({ message: expect.stringContaining("auth.api_key") });
  });

  test("a registry that moves to another host loses its stored key", async () => {
    const { kit, one, registry } = await fixture();
    const provider_options = { base_url: "https://attacker.example.net/v1" };

    const moved = await kit.put(one, { provider_options, auth: registry.auth });
    const silent = await kit.put(one, { provider_options });

    expect([moved.status, silent.status]).toEqual([422, 422]);
  });

  test.each([["***"], ["***abcd"], [""]])(
    "a stored key does not follow its registry under the masked value '%s' either",
    async (api_key) => {
      const { kit, one, registry, stored } = await fixture();
      const provider_options = { base_url: "https://attacker.example.net/v1" };

      const moved = await kit.put(one, { provider_options, auth: { ...registry.auth, api_key } });

      expect(moved.status).toBe(422);
      expect(stored()?.options.base_url).toBe(registry.provider_options.base_url);
    },
  );

  test("a stored key is not sent to an address other than the provider's", async () => {
    const { kit, path } = await fixture();
    const auth = { type: "api_key", api_key: PLANTED };
    const { id } = await kit.make(path, { name: "own address", provider: "openai", auth });
    const provider_options = { base_url: "https://attacker.example.net/v1" };

    const moved = await kit.put(`${path}/${id}`, { provider_options });
    const given = await kit.put(`${path}/${id}`, {
      provider_options,
      auth: { type: "api_key", api_key: "another-secret-value" },
    });

    expect([moved.status, given.status]).toEqual([422, 200]);
  });

  test("a secret appears in no table, log line, audit record or response", async () => {
    await using kit = await startKit({ database });
    const gateway = await kit.make("/v1/gateways", { name: "g" });
    const path = `/v1/gateways/${gateway.id}/registries`;
    const registry = await kit.make<Shown>(path, registryBody());
    const consumer = await kit.make(`/v1/gateways/${gateway.id}/consumers`, { name: "c" });
    const { key } = await kit.make<{ key: string }>(
      `/v1/gateways/${gateway.id}/consumers/${consumer.id}/keys`,
      { name: "k" },
    );
    const { token } = await kit.make<{ token: string }>("/v1/tokens", { name: "t", role: "admin" });
    const responses = await Promise.all([
      kit.get(`${path}/${registry.id}`),
      kit.get("/v1/audit"),
      kit.get("/v1/tokens"),
      kit.post(path, { ...registryBody(), name: 7 }),
      kit.post(path, `{"auth": {"api_key": "${PLANTED}`),
      kit.put(`${path}/${registry.id}`, { auth: { type: PLANTED, api_key: PLANTED } }),
      kit.get(`/v1/gateways/${gateway.id}/consumers/${consumer.id}/keys`),
      kit.call("GET", "/v1/gateways", undefined, { authorization: `Bearer ${PLANTED}` }),
    ]);

    const texts = await Promise.all(responses.map((response) => response.text()));
    const everything = [...texts, ...kit.lines, await dump(kit)].join("\n");
    for (const secret of [PLANTED, key, token, "pa_test-owner-token-0123456789abcdef"]) {
      expect(everything).not.toContain(secret);
    }
    expect(everything).toContain("***cret");
  });
});

test("the key file is readable by its owner alone", async () => {
  await using kit = await startKit();

  const { mode } = await Bun.file(`${kit.data_dir}/keys`).stat();

  expect(mode & 0o777).toBe(0o600);
  expect(readFileSync(`${kit.data_dir}/keys`, "utf8")).toMatch(
    /^k[0-9a-f]{8}:[A-Za-z0-9+/]{43}=\n$/,
  );
});

const LOST = "sealed:v2:gone:AAAA";

test("a partial or missing key file keeps the loaded keys in force", async () => {
  await using kit = await startKit();
  const { id } = await kit.make("/v1/gateways", { name: "g" });
  const saved = () => kit.post(`/v1/gateways/${id}/registries`, registryBody());

  writeFileSync(`${kit.data_dir}/keys`, "k1:");
  const half = await saved();
  rmSync(`${kit.data_dir}/keys`);
  const gone = await saved();

  expect([half.status, gone.status]).toEqual([201, 201]);
});

test("a node that gets the new key after a rotation decrypts its secrets without another change", async () => {
  await using one = await startKit({ database: "postgres" });
  const data_dir = mkdtempSync(join(tmpdir(), "portcullis-keys-"));
  const copyKeys = () => copyFileSync(join(one.data_dir, "keys"), join(data_dir, "keys"));
  copyKeys();
  await using other = await startKit({ database_url: one.database_url, data_dir });
  const gateway = await one.make("/v1/gateways", { name: "g" });
  const registry = await one.make(`/v1/gateways/${gateway.id}/registries`, registryBody());
  const opened = (yes: boolean) => {
    const seen = other.deps.snapshot().registries.get(registry.id);
    return seen !== undefined && (seen.problem === undefined) === yes;
  };
  const settings = { DATABASE_URL: one.database_url, PORTCULLIS_DATA_DIR: one.data_dir };
  await until(() => opened(true));
  await runProgram(["secrets", "rotate"], settings);
  await until(() => opened(false));

  copyKeys();

  await until(() => opened(true));
  rmSync(data_dir, { recursive: true });
}, 30_000);

test("a registry whose credential cannot be decrypted is excluded, not called without it", async () => {
  await using kit = await startKit();
  await using upstream = startUpstream();
  const consumer = await makeConsumer(kit, [{ provider: "openai", url: upstream.url }]);
  await kit.db.run("UPDATE registries SET auth = $1", `{"type":"api_key","api_key":"${LOST}"}`);
  // With this change the other one is in force too.
  await kit.make("/v1/gateways", { name: "later" });

  const reply = await consumer.post("/v1/chat/completions", { model: "m" });

  expect(reply.status).toBe(503);
  expect(upstream.hits).toEqual([]);
  expect(kit.lines.join("\n")).toContain("registry_unusable");
});

test.each([
  ["closed", 500, { error: expect.stringContaining("failed, and this collector is fail-closed") }],
  ["open", 200, { detectors: { failed: [{ error: expect.stringContaining("be decrypted") }] } }],
])(
  "a detector whose secret cannot be decrypted is not called, and fails %s",
  async (fail_mode, status, body) => {
    await using kit = await startKit();
    await using upstream = startUpstream({ body: { matches: [] } });
    const settings = { url: upstream.url, headers: { "x-key": PLANTED }, allow_private: true };
    const guard = await makeGuardWithRules(kit, "http", { settings });
    await kit.put(`/v1/collectors/${guard.collector.id}`, { fail_mode });
    const row = await kit.db.one<{ document: string }>("SELECT document FROM policy_versions");
    const lost = row?.document.replace(/sealed:v2:[\w:-]+/, LOST) ?? "";
    await kit.db.run("UPDATE policy_versions SET document = $1", lost);
    await kit.make("/v1/gateways", { name: "later" });

    const reply = await guard.send({ payload: { input: "hello" } });

    expect(reply.status).toBe(status);
    expect(await reply.json()).toMatchObject(body);
    expect(upstream.hits).toEqual([]);
  },
);

test.each([
  ["in the main thread", 1],
  ["in a worker", 70_000],
])("a detector is called again when the key of its secret is restored, %s", async (_, length) => {
  await using kit = await startKit();
  await using upstream = startUpstream({ body: { matches: [] } });
  const settings = { url: upstream.url, headers: { "x-key": PLANTED }, allow_private: true };
  const guard = await makeGuardWithRules(kit, "http", { settings });
  const key = Buffer.alloc(32, 7);
  const lost = seal(
    { current: "lost", keys: new Map([["lost", key]]) },
    sealContextOf("detectors.settings", guard.detector.id),
    PLANTED,
  );
  const row = await kit.db.one<{ document: string }>("SELECT document FROM policy_versions");
  const document = row?.document.replace(/sealed:v2:[\w:-]+/, lost) ?? "";
  await kit.db.run("UPDATE policy_versions SET document = $1", document);
  await kit.make("/v1/gateways", { name: "later" });
  const send = async () => (await guard.send({ payload: { input: "a".repeat(length) } })).status;
  expect(await send()).toBe(500);

  appendFileSync(join(kit.data_dir, "keys"), `lost:${key.toString("base64")}\n`);
  await kit.make("/v1/gateways", { name: "last" });

  expect(await send()).toBe(200);
  expect(upstream.hits[0]?.headers["x-key"]).toBe(PLANTED);
});

async function dump(kit: Awaited<ReturnType<typeof startKit>>): Promise<string> {
  const catalog =
    kit.db.dialect === "sqlite"
      ? "SELECT name FROM sqlite_master WHERE type = 'table'"
      : "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'";
  const tables = await kit.db.many<{ name: string }>(catalog);
  const rows = await Promise.all(tables.map(({ name }) => kit.db.many(`SELECT * FROM ${name}`)));
  return JSON.stringify(rows);
}
