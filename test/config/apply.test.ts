/** Applying a configuration file: completely or not at all, and idempotent. */
import { describe, expect, test } from "bun:test";
import { exportConfig } from "../../src/config-file/export.ts";
import { readConfigFile } from "../../src/config-file/read-file.ts";
import { type Kit, startKit } from "../kit/kit.ts";
import { databaseKinds } from "../kit/services.ts";
import { applyText, audits, eventually, type Options, refusal } from "./apply-text.ts";

const ENV = {
  OPENAI_KEY: "sk-planted-upstream-secret",
  APP_KEY: "ag_planted-consumer-key-0123456789",
  OPS_TOKEN: "pa_planted-admin-token-0123456789",
};

const FILE = `version: 1
gateways:
  - slug: acme
    name: Acme
    metadata: { team: platform }
    registries:
      - name: OpenAI
        provider: openai
        auth: { type: api_key, api_key: "\${OPENAI_KEY}" }
      - name: Demo
        provider: demo
    consumers:
      - slug: app
        name: App
        registries:
          - { registry: Demo, models: { default: demo-chat } }
          - { registry: OpenAI, weight: 5 }
        failover: { max_attempts: 2 }
        cors: { origins: ["https://app.example.com"] }
        keys:
          - { name: First, key: "\${APP_KEY}" }
tokens:
  - { name: Ops, role: admin, gateways: [acme], token: "\${OPS_TOKEN}" }
`;

const apply = (kit: Kit, text: string, options: Partial<Options> = {}) =>
  applyText(kit, text, { env: ENV, ...options });

const chat = (kit: Kit, key: string) =>
  fetch(`${kit.url}/app/v1/chat/completions`, {
    method: "POST",
    headers: { "x-ag-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ model: "@demo/demo-chat", messages: [{ role: "user", content: "hi" }] }),
  });

describe.each(databaseKinds)("on %s", (database) => {
  test("a file creates an installation, and applying it again changes nothing", async () => {
    await using kit = await startKit({ database });

    const first = await apply(kit, FILE);
    const revision = await kit.db.one("SELECT revision FROM config_revision");
    const second = await apply(kit, FILE);

    expect(first.steps.map(({ action, name }) => `${action} ${name}`)).toEqual([
      "create acme",
      "create acme / OpenAI",
      "create acme / Demo",
      "create acme / app",
      "create acme / app / First (ag_plan…)",
      "create Ops (pa_plan…)",
    ]);
    expect(second.steps).toEqual([]);
    expect(await kit.db.one("SELECT revision FROM config_revision")).toEqual(revision);
    expect((await audits(kit)).slice(-6)).toEqual([
      "gateway.create",
      "registry.create",
      "registry.create",
      "consumer.create",
      "consumer_key.create",
      "token.create",
    ]);
  });

  test("an export rebuilds the installation elsewhere, with working keys and tokens", async () => {
    await using kit = await startKit({ database });
    await apply(kit, FILE);
    const { yaml, variables } = await exportConfig(kit.deps);
    await using other = await startKit({ database });

    await apply(other, yaml, { env: { ACME_OPENAI_API_KEY: ENV.OPENAI_KEY } });

    expect(variables).toEqual(["ACME_OPENAI_API_KEY"]);
    expect(await eventually(200, () => chat(other, ENV.APP_KEY))).toBe(200);
    const headers = { authorization: `Bearer ${ENV.OPS_TOKEN}` };
    expect((await fetch(`${other.url}/v1/whoami`, { headers })).status).toBe(200);
    expect((await exportConfig(other.deps)).yaml).toBe(yaml);
  });

  test("applying an export changes nothing, and it contains no secret", async () => {
    await using kit = await startKit({ database });
    await apply(kit, FILE);
    await kit.make("/v1/gateways", {
      name: `Costs \${5}: 100%`,
      slug: "odd",
      metadata: { note: `a: [b] # $\${c}`, on: "yes" },
    });
    const { yaml } = await exportConfig(kit.deps);

    const env = { ACME_OPENAI_API_KEY: ENV.OPENAI_KEY };
    const plan = await apply(kit, yaml, { prune: true, env });

    expect(plan).toEqual({ steps: [], left_alone: [] });
    expect(Object.values(ENV).filter((secret) => yaml.includes(secret))).toEqual([]);
    expect(yaml).toStartWith("# yaml-language-server: $schema=");
  });

  test("a rejected step rolls everything back and names the line", async () => {
    await using kit = await startKit({ database });
    const wrong = FILE.replace(
      "name: Demo\n        provider: demo",
      "name: Demo\n        provider: openai_compatible\n        provider_options: { base_url: http://10.0.0.1/v1 }",
    );

    const message = await refusal(apply(kit, wrong));

    expect(message).toStartWith(
      "test.yaml:12:29: registry acme / Demo: provider_options.base_url: must be https",
    );
    expect(await kit.db.many("SELECT id FROM gateways")).toEqual([]);
  });

  test("a dry run reports changes and errors, and changes nothing", async () => {
    await using kit = await startKit({ database });
    const before = await audits(kit);

    const plan = await apply(kit, FILE, { dryRun: true });

    expect(plan.steps).toHaveLength(6);
    expect(await kit.db.many("SELECT id FROM gateways")).toEqual([]);
    expect(await audits(kit)).toEqual(before);
    expect(await refusal(apply(kit, FILE.replace("[acme]", "[nope]"), { dryRun: true }))).toContain(
      'test.yaml:23:42: token Ops (pa_plan…): gateways[0]: unknown gateway "nope"',
    );
  });

  test("only differences are changed, and secrets are shown masked", async () => {
    await using kit = await startKit({ database });
    await apply(kit, FILE);

    const env = { ...ENV, OPENAI_KEY: "sk-planted-another-secret" };
    const changed = FILE.replace("max_attempts: 2", "max_attempts: 4").replace(
      "name: First",
      "name: Best",
    );
    const { steps } = await apply(kit, changed, { env });

    expect(steps.map(({ action, name, members }) => ({ action, name, members }))).toEqual([
      {
        action: "update",
        name: "acme / OpenAI",
        members: [{ name: "auth.api_key", before: "***cret", after: "***cret" }],
      },
      {
        action: "update",
        name: "acme / app",
        members: [{ name: "failover.max_attempts", before: 2, after: 4 }],
      },
      {
        action: "update",
        name: "acme / app / Best (ag_plan…)",
        members: [{ name: "name", before: "First", after: "Best" }],
      },
    ]);
    expect(await eventually(200, () => chat(kit, ENV.APP_KEY))).toBe(200);
  });

  test("unlisted items do not change, and prune deletes them", async () => {
    await using kit = await startKit({ database });
    await apply(kit, FILE);
    await kit.make("/v1/gateways", { name: "Other", slug: "other" });
    const less = FILE.replace(/ {6}- name: OpenAI[\s\S]*?- name: Demo/, "      - name: Demo")
      .replace(/ {10}- \{ registry: OpenAI.*\n/, "")
      .replace(/ {10}- \{ name: First.*\n/, "")
      .replace("keys:", "keys: []")
      .replace(/tokens:[\s\S]*/, "");

    const kept = await apply(kit, less);
    const working = await eventually(200, () => chat(kit, ENV.APP_KEY));
    const pruned = await apply(kit, less, { prune: true });

    expect(kept.left_alone.map(({ resource, name }) => `${resource} ${name}`)).toEqual([
      "gateway other",
      "registry acme / OpenAI",
      "consumer_key acme / app / First (ag_plan…)",
    ]);
    expect(working).toBe(200);
    expect(pruned.steps.map(({ action, name }) => `${action} ${name}`)).toEqual([
      "delete other",
      "revoke acme / app / First (ag_plan…)",
      "delete acme / OpenAI",
    ]);
    expect(await eventually(401, () => chat(kit, ENV.APP_KEY))).toBe(401);
    expect((await kit.get("/v1/whoami")).status).toBe(200);
  });

  test("with prune, a consumer can move to another gateway with its slug", async () => {
    await using kit = await startKit({ database });
    const gateway = (slug: string, consumers: string) =>
      `  - { slug: ${slug}, name: ${slug}, consumers: [${consumers}] }\n`;
    const moving = "{ slug: mover, name: Mover }";
    await apply(kit, `version: 1\ngateways:\n${gateway("b", moving)}${gateway("a", "")}`);

    const moved = `version: 1\ngateways:\n${gateway("a", moving)}${gateway("b", "")}`;
    const refused = await refusal(apply(kit, moved));
    await apply(kit, moved, { prune: true });

    expect(refused).toStartWith("test.yaml:3:39: consumer a / mover: slug: ");
    expect((await apply(kit, moved, { prune: true })).steps).toEqual([]);
  });

  test("a revoked key is not created again", async () => {
    await using kit = await startKit({ database });
    await apply(kit, FILE);
    await kit.db.run("UPDATE consumer_keys SET revoked_at = created_at");

    const { steps, left_alone } = await apply(kit, FILE);

    expect(steps).toEqual([]);
    expect(left_alone).toContainEqual({
      resource: "consumer_key",
      name: "acme / app / First (ag_plan…)",
      reason: "was revoked: remove it from the file",
    });
  });

  test("a file does not extend the life of a rotated key, and the plan says so", async () => {
    await using kit = await startKit({ database });
    await apply(kit, FILE);
    const key = await kit.db.one<{ id: string; consumer_id: string; gateway_id: string }>(
      "SELECT k.id, k.consumer_id, c.gateway_id FROM consumer_keys k JOIN consumers c ON c.id = k.consumer_id",
    );
    const path = `/v1/gateways/${key?.gateway_id}/consumers/${key?.consumer_id}/keys/${key?.id}`;
    await kit.post(`${path}/rotate`, { overlap_s: 0 });
    const { expires_at } = await (await kit.get(path)).json();

    const unchanged = await apply(kit, FILE);
    const later = `key: "\${APP_KEY}", expires_at: "2040-01-01T00:00:00Z"`;
    const renamed = await apply(
      kit,
      FILE.replace("name: First", "name: Old").replace(`key: "\${APP_KEY}"`, later),
    );

    const left = (name: string) => ({
      resource: "consumer_key",
      name: `acme / app / ${name} (ag_plan…)`,
      reason: `a file cannot extend expires_at (${expires_at})`,
    });
    expect(expires_at).toBeString();
    expect(unchanged.steps).toEqual([]);
    expect(unchanged.left_alone).toContainEqual(left("First"));
    expect(renamed.steps.map(({ members }) => members)).toMatchObject([[{ name: "name" }]]);
    expect(renamed.left_alone).toContainEqual(left("Old"));
    expect(await (await kit.get(path)).json()).toMatchObject({ name: "Old", expires_at });
    expect((await chat(kit, ENV.APP_KEY)).status).toBe(401);
  });

  test("a file ends a key earlier, but does not restore the later end", async () => {
    await using kit = await startKit({ database });
    await apply(kit, FILE);
    const expiring = (time: string) =>
      FILE.replace(`key: "\${APP_KEY}"`, `key: "\${APP_KEY}", expires_at: "${time}"`);

    const shorter = await apply(kit, expiring("2040-01-01T00:00:00Z"));
    const same = await apply(kit, expiring("2040-01-01T01:00:00+01:00"));
    const longer = await apply(kit, expiring("2041-01-01T00:00:00Z"));

    expect(shorter.steps).toMatchObject([{ action: "update" }]);
    expect(same.left_alone.map(({ resource }) => resource)).not.toContain("consumer_key");
    expect(longer.steps).toEqual([]);
    expect(longer.left_alone.map(({ resource }) => resource)).toContain("consumer_key");
  });

  test("--keep-secrets keeps a stored secret, and requires one", async () => {
    await using kit = await startKit({ database });
    const { OPENAI_KEY: _, ...env } = ENV;

    const missing = await refusal(apply(kit, FILE, { keepSecrets: true, env }));
    await apply(kit, FILE);
    const kept = await apply(kit, FILE, { keepSecrets: true, env });
    const refused = await refusal(() => apply(kit, FILE, { env }));

    expect(missing).toBe(
      "test.yaml:9:32: gateways[0].registries[0].auth.api_key: the variable OPENAI_KEY is not set, and no stored secret can be kept",
    );
    expect(kept.steps).toEqual([]);
    expect(refused).toBe(
      "test.yaml:9:32: gateways[0].registries[0].auth.api_key: the variable OPENAI_KEY is not set",
    );
  });

  test("a kept secret is not sent to another host", async () => {
    await using kit = await startKit({ database });
    const at = (host: string) =>
      FILE.replace(
        "provider: openai\n",
        `provider: openai\n        provider_options: { base_url: https://${host}/v1 }\n`,
      );
    await apply(kit, at("one.example.com"));

    const { OPENAI_KEY: _, ...env } = ENV;
    const moved = apply(kit, at("two.example.com"), { keepSecrets: true, env });

    expect(await refusal(moved)).toContain("auth.api_key: must be sent again");
  });

  test("a file cannot remove the last owner", async () => {
    await using kit = await startKit({ database });

    const message = await refusal(apply(kit, FILE, { prune: true }));

    expect(message).toBe(
      "test.yaml:22:1: tokens: at least one owner of all gateways that never expires must remain",
    );
    expect((await kit.get("/v1/whoami")).status).toBe(200);
  });

  test("an owner whose token expires does not become the last one, because a file cannot extend it", async () => {
    await using kit = await startKit({ database });
    const expires_at = "2040-01-01T00:00:00Z";
    const temporary = { name: "Temp", role: "owner", expires_at };
    const { token } = await kit.make<{ token: string }>("/v1/tokens", temporary);
    const listed = `${FILE}  - { name: Temp, role: owner, token: "\${TEMP_TOKEN}" }\n`;

    const message = await refusal(
      apply(kit, listed, { prune: true, env: { ...ENV, TEMP_TOKEN: token } }),
    );

    expect(message).toContain("tokens: at least one owner of all gateways that never expires");
  });

  test("a key of one consumer cannot be assigned to another", async () => {
    await using kit = await startKit({ database });
    await apply(kit, FILE);
    const other = `version: 1
gateways:
  - slug: beta
    name: Beta
    consumers:
      - { slug: thief, name: Thief, keys: [{ name: Mine, key: "\${APP_KEY}" }] }
`;

    expect(await refusal(apply(kit, other))).toBe(
      "test.yaml:6:44: consumer_key beta / thief / Mine (ag_plan…): sha256: belongs to another consumer",
    );
  });
});

const consumer = (members: string) =>
  `version: 1\ngateways:\n  - slug: g\n    name: G\n    consumers:\n      - { slug: c, name: C, ${members} }\n`;
const registry = (members: string) =>
  `version: 1\ngateways:\n  - slug: g\n    name: G\n    registries:\n      - { name: r, ${members} }\n`;

test.each([
  ["", "test.yaml:1:1: expected object, received null"],
  ["version: 2", "test.yaml:1:1: version: must be 1"],
  ["version: 1\ngateway: []", "test.yaml:2:1: gateway: unknown member"],
  ["version: 1\ngateways: {}", "test.yaml:2:1: gateways: expected array, received object"],
  [
    "version: 1\n---\nversion: 1",
    "test.yaml:2:1: Source contains multiple documents; a file contains one document",
  ],
  ["version: 1\nversion: 1", "test.yaml:2:1: Map keys must be unique"],
  [consumer("activ: true"), "test.yaml:6:29: gateways[0].consumers[0].activ: unknown member"],
  [
    consumer("registries: [{ registry: nope }]"),
    "test.yaml:6:44: gateways[0].consumers[0].registries[0].registry: is not a registry of this gateway",
  ],
  [
    consumer("keys: [{ name: k }]"),
    "test.yaml:6:36: gateways[0].consumers[0].keys[0]: needs either sha256 or the secret itself",
  ],
  [
    consumer("keys: [{ name: k, sha256: abc }]"),
    "test.yaml:6:47: gateways[0].consumers[0].keys[0].sha256: must be a SHA-256",
  ],
  [registry("provider: nope"), "test.yaml:6:20: gateways[0].registries[0].provider: "],
  [
    registry("provider: azure, provider_options: { api_version: '1' }, auth: null"),
    "test.yaml:6:37: gateways[0].registries[0].provider_options.endpoint: ",
  ],
  [
    registry("provider: demo }\n      - { name: r, provider: demo"),
    "test.yaml:7:11: gateways[0].registries[1].name: is listed twice",
  ],
  [
    registry(`provider: openai, auth: { type: api_key, api_key: "\${NOT_SET}" }`),
    "test.yaml:6:61: gateways[0].registries[0].auth.api_key: the variable NOT_SET is not set",
  ],
])("%j is rejected with its location", async (text, message) => {
  const read = () => readConfigFile(text, { file: "test.yaml", env: {}, keepSecrets: false });

  expect(await refusal(read)).toStartWith(message);
});

test("all problems of a file are reported, in the order of their lines", async () => {
  const text = "version: 1\ngateways:\n  - slug: A B\n    name: 5\n    more: 1\ntoken: []\n";

  const message = await refusal(() =>
    readConfigFile(text, { file: "f", env: {}, keepSecrets: false }),
  );

  expect(message.split("\n").map((line) => line.split(" ")[0])).toEqual([
    "f:3:5:",
    "f:4:5:",
    "f:5:5:",
    "f:6:1:",
  ]);
});

test("a masked or empty secret is rejected", async () => {
  await using kit = await startKit();

  for (const secret of ["***cret", ""]) {
    const text = registry(`provider: openai, auth: { type: api_key, api_key: "${secret}" }`);
    expect(await refusal(apply(kit, text))).toStartWith(
      "test.yaml:6:61: gateways[0].registries[0].auth.api_key: ",
    );
  }
});
