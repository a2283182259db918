/** Detectors, policies, collectors and guards in a configuration file. */
import { describe, expect, test } from "bun:test";
import { exportConfig } from "../../src/config-file/export.ts";
import { readConfigFile } from "../../src/config-file/read-file.ts";
import { type Kit, startKit } from "../kit/kit.ts";
import { databaseKinds } from "../kit/services.ts";
import { applyText, audits, eventually, type Options, refusal } from "./apply-text.ts";

const ENV = {
  JUDGE_TOKEN: "Bearer planted-detector-secret",
  BOT_KEY: "pc_planted-collector-key-0123456789",
  BOT_SECRET: "ps_planted-client-secret-0123456789",
};
const CLIENT_ID = "0191d3c2-7a52-7d10-9c1e-0f7f5f6a1b2c";

const FILE = `version: 1
gateways:
  - slug: acme
    name: Acme
    registries:
      - { name: Demo, provider: demo }
detectors:
  - { name: Personal data, kind: data_loss_prevention, settings: { predefined_entities: [{ entity: email }] } }
  - name: Own
    kind: http
    settings: { url: https://judge.example.com/look, headers: { authorization: "\${JUDGE_TOKEN}" } }
  - name: Judge
    kind: gateway
    enabled: false
    settings: { registry: { gateway: acme, name: Demo }, model: demo-chat, instructions: "Costs: $\${5}" }
policies:
  - name: Lenient
  - name: Strict
    mode: enforce
    gates:
      - { name: No shell, when: { any: [{ field: tool.name, op: in, value: [bash, sh] }] }, action: block }
    input_rules:
      - { detector: Personal data, action: transform }
      - { detector: Judge, action: report, mode: observe }
collectors:
  - name: Bot
    type: agent
    gateway: acme
    collector_key: bot
    default_policy: Strict
    default_policy_version: 1
    retention_days: 7
    overrides:
      - { consumer_id: "ana@example.com / 1", policy: Lenient }
    keys:
      - { name: First, key: "\${BOT_KEY}" }
    service_clients:
      - { name: Sidecar, client_id: ${CLIENT_ID}, client_secret: "\${BOT_SECRET}" }
`;

const apply = (kit: Kit, text: string, options: Partial<Options> = {}) =>
  applyText(kit, text, { env: ENV, ...options });

const stepNames = ({ steps }: Awaited<ReturnType<typeof apply>>) =>
  steps.map(({ action, resource, name }) => `${action} ${resource} ${name}`);

const guardOf = async (kit: Kit): Promise<string | null> => {
  const [gateway] = await kit.db.many<{ guard: string }>("SELECT guard FROM gateways");
  const { collector_id } = JSON.parse(gateway?.guard ?? "{}");
  const row = await kit.db.one<{ name: string }>(
    "SELECT name FROM collectors WHERE id = $1",
    collector_id,
  );
  return row?.name ?? null;
};

const versions = async (kit: Kit) => {
  const rows = await kit.db.many<{ name: string; version: number }>(
    "SELECT name, version FROM policies ORDER BY name",
  );
  const saved = await kit.db.many("SELECT id FROM policy_versions");
  return [...rows.map(({ name, version }) => `${name} ${version}`), `${saved.length} saved`];
};

const evaluate = (kit: Kit, input: string, consumer_id = "bo") =>
  fetch(`${kit.url}/v1/evaluate`, {
    method: "POST",
    headers: { authorization: `Bearer ${ENV.BOT_KEY}`, "content-type": "application/json" },
    body: JSON.stringify({ payload: { input }, direction: "input", consumer_id }),
  });

describe.each(databaseKinds)("on %s", (database) => {
  test("a file creates a working guard, and applying it again creates no version", async () => {
    await using kit = await startKit({ database });

    const first = await apply(kit, FILE);
    const before = await versions(kit);
    const second = await apply(kit, FILE);

    expect(stepNames(first)).toEqual([
      "create gateway acme",
      "create registry acme / Demo",
      "create detector Personal data",
      "create detector Own",
      "create detector Judge",
      "create policy Lenient",
      "create policy Strict",
      "create collector Bot",
      "create override Bot / ana@example.com / 1",
      "create collector_key Bot / First (pc_plan…)",
      "create service_client Bot / Sidecar (ps_plan…)",
    ]);
    expect(second).toEqual({ steps: [], left_alone: [] });
    expect(before).toEqual(["Lenient 1", "Strict 1", "2 saved"]);
    expect(await versions(kit)).toEqual(before);
    expect((await audits(kit)).slice(-9)).toEqual([
      "detector.create",
      "detector.create",
      "detector.create",
      "policy.create",
      "policy.create",
      "collector.create",
      "override.create",
      "collector_key.create",
      "service_client.create",
    ]);
    expect(await eventually(200, () => evaluate(kit, "hi"))).toBe(200);
    const evaluated = await evaluate(kit, "Write to bo@example.com");
    const overridden = await evaluate(kit, "Write to bo@example.com", "ana@example.com / 1");
    expect(await evaluated.json()).toMatchObject({ status: "transform" });
    expect(await overridden.json()).toMatchObject({ status: "allow" });
  });

  test("an export rebuilds the guard elsewhere, with working keys and clients", async () => {
    await using kit = await startKit({ database });
    await apply(kit, FILE);
    const { yaml, variables } = await exportConfig(kit.deps);
    await using other = await startKit({ database });

    const env = { OWN_AUTHORIZATION: ENV.JUDGE_TOKEN };
    await apply(other, yaml, { env });

    expect(variables).toEqual(["OWN_AUTHORIZATION"]);
    expect(Object.values(ENV).filter((secret) => yaml.includes(secret))).toEqual([]);
    expect((await exportConfig(other.deps)).yaml).toBe(yaml);
    expect(await eventually(200, () => evaluate(other, "hi"))).toBe(200);
    const token = await other.post("/v1/token", {
      grant_type: "client_credentials",
      client_id: CLIENT_ID,
      client_secret: ENV.BOT_SECRET,
    });
    expect(token.status).toBe(200);
    expect(await apply(kit, yaml, { env, prune: true })).toEqual({ steps: [], left_alone: [] });
  });

  test("only a changed policy gets a version, and an equal secret is not a change", async () => {
    await using kit = await startKit({ database });
    const used = FILE.replace("detector: Judge,", "detector: Own,");
    await apply(kit, used);

    const disabled = used.replace("name: Own\n", "name: Own\n    enabled: false\n");
    const off = await apply(kit, disabled);
    const afterOff = await versions(kit);
    const changed = disabled.replace("headers: {", "timeout_ms: 500, headers: {");
    const slower = await apply(kit, changed, {
      env: { ...ENV, JUDGE_TOKEN: "Bearer planted-other-secret" },
    });

    expect(off.steps.map(({ members }) => members)).toEqual([
      [{ name: "enabled", before: true, after: false }],
    ]);
    expect(afterOff).toEqual(["Lenient 1", "Strict 1", "2 saved"]);
    expect(slower.steps.map(({ members }) => members)).toEqual([
      [
        { name: "settings.headers.authorization", before: "***cret", after: "***cret" },
        { name: "settings.timeout_ms", before: 2000, after: 500 },
      ],
    ]);
    expect(await versions(kit)).toEqual(["Lenient 1", "Strict 2", "3 saved"]);
  });

  test("unlisted items do not change, and prune deletes them in the order of their references", async () => {
    await using kit = await startKit({ database });
    await apply(kit, FILE);
    const less = `version: 1
gateways: [{ slug: acme, name: Acme, registries: [{ name: Demo, provider: demo }] }]
detectors: []
policies: [{ name: Next }]
collectors:
  - { name: Bot, gateway: acme, default_policy: Next, overrides: [], keys: [], service_clients: [] }
`;

    const working = await eventually(200, () => evaluate(kit, "hi"));
    const kept = await apply(kit, less, { dryRun: true });
    const unsaid = await apply(kit, "version: 1\n", { dryRun: true });
    const pruned = await apply(kit, less, { prune: true });

    expect(kept.left_alone.map(({ resource, name }) => `${resource} ${name}`)).toEqual([
      "detector Personal data",
      "detector Own",
      "detector Judge",
      "policy Lenient",
      "policy Strict",
      "override Bot / ana@example.com / 1",
      "collector_key Bot / First (pc_plan…)",
      "service_client Bot / Sidecar (ps_plan…)",
    ]);
    expect(unsaid.left_alone.map(({ resource }) => resource)).toEqual(["gateway"]);
    expect(stepNames(pruned)).toEqual([
      "create policy Next",
      "update collector Bot",
      "revoke service_client Bot / Sidecar (ps_plan…)",
      "revoke collector_key Bot / First (pc_plan…)",
      "delete override Bot / ana@example.com / 1",
      "delete policy Strict",
      "delete policy Lenient",
      "delete detector Judge",
      "delete detector Own",
      "delete detector Personal data",
    ]);
    // The file does not list collector_key, so it does not change.
    expect(await kit.db.one("SELECT collector_key FROM collectors")).toEqual({
      collector_key: "bot",
    });
    expect(working).toBe(200);
    expect(await eventually(403, () => evaluate(kit, "hi"))).toBe(403);
  });

  test("a gateway's guard is the collector that the file names, and stays when the file leaves it out", async () => {
    await using kit = await startKit({ database });
    const guarded = FILE.replace("name: Acme\n", "name: Acme\n    guard: { collector: Bot }\n");
    const unguarded = guarded.replace("collector: Bot }", "collector: null }");

    const first = await apply(kit, guarded);
    const again = await apply(kit, guarded);
    const silent = await apply(kit, FILE);
    const guard = await guardOf(kit);
    const cleared = await apply(kit, unguarded);

    expect(stepNames(first).at(-1)).toBe("update gateway acme");
    expect(first.steps.at(-1)?.members).toEqual([
      { name: "guard.collector", before: undefined, after: "Bot" },
    ]);
    expect([...again.steps, ...silent.steps]).toEqual([]);
    expect(guard).toBe("Bot");
    expect(stepNames(cleared)).toEqual(["update gateway acme"]);
    expect(await guardOf(kit)).toBeNull();
    expect(await refusal(apply(kit, guarded.replace("collector: Bot }", "collector: Bo }")))).toBe(
      'test.yaml:5:14: gateway acme: guard.collector: unknown collector "Bo"',
    );
  });

  test("a file sets the guards of gateways and consumers, and members that it leaves out have their defaults", async () => {
    await using kit = await startKit({ database });
    const consumers = (guard: string) =>
      FILE.replace(
        "    registries:\n",
        `    guard: { collector: Bot, on_ask: wait }
    consumers: [{ slug: app, name: App, guard: ${guard} }]
    registries:\n`,
      );
    const own = consumers("{ collector: Bot, llm: { output: false }, stream: observe }");
    const stored = async () => {
      const row = await kit.db.one<{ guard: string | null }>("SELECT guard FROM consumers");
      return JSON.parse(row?.guard ?? "null");
    };
    const changesOf = ({ steps }: Awaited<ReturnType<typeof apply>>) =>
      steps.flatMap(({ members }) => members.map(({ name, after }) => [name, after]));

    await apply(kit, own);
    const first = await stored();
    const again = await apply(kit, own);
    const silent = await apply(kit, consumers("{}").replace(", guard: {}", ""));
    const lenient = await apply(kit, consumers("{ collector: Bot }"));
    const exempt = await apply(kit, consumers("{ off: true }"));
    const off = await stored();
    await apply(kit, consumers("null"));

    expect(first).toMatchObject({ llm: { input: true, output: false }, stream: "observe" });
    expect([...again.steps, ...silent.steps]).toEqual([]);
    expect(changesOf(lenient)).toEqual([
      ["guard.llm.output", true],
      ["guard.stream", "exact"],
    ]);
    expect(changesOf(exempt)).toContainEqual(["guard.off", true]);
    expect(off).toEqual({ off: true });
    expect(await stored()).toBeNull();
  });

  test("with prune a collector is deleted although consumers used it as their guard, unless they still do", async () => {
    await using kit = await startKit({ database });
    const used = FILE.replace(
      "    registries:\n",
      "    consumers: [{ slug: app, name: App, guard: { collector: Bot } }]\n    registries:\n",
    );
    await apply(kit, used);
    const withoutBot = (text: string) =>
      text.replace(/collectors:[\s\S]*/, "collectors: [{ name: Other }]\n");

    const missing = await refusal(apply(kit, withoutBot(used), { prune: true }));
    const silent = await refusal(
      apply(kit, withoutBot(used).replace(", guard: { collector: Bot }", ""), { prune: true }),
    );
    await apply(kit, withoutBot(used).replace("collector: Bot", "collector: Other"), {
      prune: true,
    });
    const replaced = await kit.db.one<{ guard: string }>("SELECT guard FROM consumers");
    const [other] = await kit.db.many<{ id: string }>("SELECT id FROM collectors");
    await apply(kit, "version: 1\ncollectors: []\n", { prune: true });

    expect(missing).toStartWith(
      "test.yaml:5:50: gateways[0].consumers[0].guard.collector: is not in the file",
    );
    expect(silent).toContain('This collector is the guard of consumer "App"');
    expect(JSON.parse(replaced?.guard ?? "")).toMatchObject({ collector_id: other?.id });
    expect(await kit.db.many("SELECT id FROM collectors")).toEqual([]);
  });

  test("with prune a guard is replaced by another, deleted with its gateway, and never deleted under it", async () => {
    await using kit = await startKit({ database });
    const guarded = FILE.replace("name: Acme\n", "name: Acme\n    guard: { collector: Bot }\n");
    await apply(kit, guarded);
    const renamed = (text: string) =>
      text.replace("name: Bot", "name: Next").replace(/ {4}keys:[\s\S]*/, "");

    const missing = await refusal(apply(kit, renamed(guarded), { prune: true }));
    const silent = await refusal(apply(kit, renamed(FILE), { prune: true }));
    await apply(kit, renamed(guarded).replace("collector: Bot", "collector: Next"), {
      prune: true,
    });
    const next = await guardOf(kit);
    await apply(kit, "version: 1\ncollectors: []\n", { prune: true });

    expect(missing).toStartWith("test.yaml:5:14: gateways[0].guard.collector: is not in the file");
    expect(silent).toContain('This collector is the guard of gateway "Acme"');
    expect(next).toBe("Next");
    expect(await kit.db.many("SELECT id FROM gateways")).toEqual([]);
  });

  test("a collector can move from a deleted gateway, and a deleted one frees its collector_key", async () => {
    await using kit = await startKit({ database });
    await apply(kit, FILE);
    const { id } = (await kit.db.one<{ id: string }>("SELECT id FROM collectors")) ?? {};
    const moved = FILE.replace("slug: acme", "slug: next")
      .replace("gateway: acme\n", "gateway: next\n")
      .replace("gateway: acme,", "gateway: next,");

    await apply(kit, moved, { prune: true });
    const stayed = await kit.db.one("SELECT id FROM collectors");
    const renamed = moved.replace("name: Bot", "name: Better bot").replace(/ {4}keys:[\s\S]*/, "");
    const plan = await apply(kit, renamed, { prune: true });

    expect(stayed).toEqual({ id });
    expect(stepNames(plan)).toEqual([
      "delete collector Bot",
      "create collector Better bot",
      "create override Better bot / ana@example.com / 1",
    ]);
  });

  test("with prune, listed items must not refer to deleted ones", async () => {
    await using kit = await startKit({ database });
    await apply(kit, FILE);

    const message = await refusal(
      apply(kit, FILE.replace("slug: acme", "slug: b"), { prune: true }),
    );

    expect(message.split("\n").map((line) => line.split(": is not in the file")[0])).toEqual([
      "test.yaml:15:17: detectors[2].settings.registry",
      "test.yaml:28:5: collectors[0].gateway",
    ]);
    expect(await kit.db.many("SELECT slug FROM gateways")).toEqual([{ slug: "acme" }]);
  });

  test("deleting a gateway deletes its unlisted collectors", async () => {
    await using kit = await startKit({ database });
    await apply(kit, FILE);

    await apply(kit, "version: 1\n", { prune: true });

    expect(await kit.db.many("SELECT id FROM collectors")).toEqual([]);
    expect(await versions(kit)).toEqual(["Lenient 1", "Strict 1", "2 saved"]);
  });

  test("revoked keys and clients are not created again", async () => {
    await using kit = await startKit({ database });
    await apply(kit, FILE);
    await kit.db.run("UPDATE collector_keys SET revoked_at = created_at");
    await kit.db.run("UPDATE service_clients SET revoked_at = created_at");

    const { steps, left_alone } = await apply(kit, FILE);

    expect(steps).toEqual([]);
    expect(left_alone.map(({ resource }) => resource)).toEqual(["collector_key", "service_client"]);
  });

  test("a file does not extend the life of rotated keys and clients", async () => {
    await using kit = await startKit({ database });
    await apply(kit, FILE);
    for (const [table, path] of [
      ["collector_keys", "keys"],
      ["service_clients", "service-clients"],
    ]) {
      const sql = `SELECT id, collector_id FROM ${table}`;
      for (const { id, collector_id } of await kit.db.many<Record<string, string>>(sql)) {
        const rotated = `/v1/collectors/${collector_id}/${path}/${id}/rotate`;
        expect((await kit.post(rotated, { overlap_s: 0 })).status).toBe(201);
      }
    }

    const { steps, left_alone } = await apply(kit, FILE);

    expect(steps).toEqual([]);
    const reasons = left_alone.map(({ resource, reason }) => `${resource}: ${reason}`);
    expect(reasons).toContainEqual(expect.stringMatching(/^collector_key: a file cannot extend/));
    expect(reasons).toContainEqual(expect.stringMatching(/^service_client: a file cannot extend/));
  });

  test("--keep-secrets keeps the stored secret of a detector, and requires one", async () => {
    await using kit = await startKit({ database });
    const { JUDGE_TOKEN: _, ...env } = ENV;

    const missing = await refusal(apply(kit, FILE, { keepSecrets: true, env }));
    await apply(kit, FILE);
    const slower = FILE.replace("headers: {", "timeout_ms: 500, headers: {");
    const kept = await apply(kit, slower, { keepSecrets: true, env });

    expect(missing).toBe(
      "test.yaml:11:65: detectors[1].settings.headers.authorization: the variable JUDGE_TOKEN is not set, and no stored secret can be kept",
    );
    expect(kept.steps.map(({ members }) => members)).toEqual([
      [{ name: "settings.timeout_ms", before: 2000, after: 500 }],
    ]);
    expect((await apply(kit, slower)).steps).toEqual([]);
  });

  test.each([
    [
      "detector: Judge",
      "detector: Jude",
      '24:11: policy Strict: input_rules[1].detector: unknown detector "Jude"',
    ],
    [
      "default_policy: Strict",
      "default_policy: Stric",
      '30:5: collector Bot: default_policy: unknown policy "Stric"',
    ],
    [
      "policy_version: 1",
      "policy_version: 9",
      "31:5: collector Bot: default_policy_version: unknown version 9",
    ],
    ["gateway: acme\n", "gateway: acm\n", '28:5: collector Bot: gateway: unknown gateway "acm"'],
    [
      "policy: Lenient",
      "policy: Lenien",
      '34:47: override Bot / ana@example.com / 1: policy: unknown policy "Lenien"',
    ],
    [
      "name: Demo }, model",
      "name: Dem }, model",
      '15:44: detector Judge: settings.registry.name: unknown registry "Dem"',
    ],
    [
      "https://judge.example.com",
      "http://10.0.0.1",
      "11:17: detector Own: settings.url: must be https",
    ],
    [
      "action: block",
      "action: transform",
      "21:9: policy Strict: gates[0].mask: required when action is transform",
    ],
  ])(
    "%j as %j is rejected with its line, and nothing is created",
    async (right, wrong, message) => {
      await using kit = await startKit({ database });

      expect(await refusal(apply(kit, FILE.replace(right, wrong)))).toStartWith(
        `test.yaml:${message}`,
      );
      expect(await kit.db.many("SELECT id FROM detectors")).toEqual([]);
    },
  );

  test("the client_id of a stored secret cannot be changed", async () => {
    await using kit = await startKit({ database });
    await apply(kit, FILE);

    const other = FILE.replace(CLIENT_ID, CLIENT_ID.replace("0191", "0192"));

    expect(await refusal(apply(kit, other))).toStartWith(
      "test.yaml:38:26: service_client Bot / Sidecar (ps_plan…): client_id: cannot be changed",
    );
  });
});

const detector = (members: string) => `version: 1\ndetectors:\n  - { name: d, ${members} }\n`;

test.each([
  [detector("kind: nope"), "test.yaml:3:16: detectors[0].kind: must be one of"],
  [
    detector("kind: unicode, settings: { nope: 1 }"),
    "test.yaml:3:43: detectors[0].settings.nope: unknown member",
  ],
  [detector("kind: gateway"), "test.yaml:3:5: detectors[0].settings.registry: is required"],
  [
    detector("kind: unicode }\n  - { name: d, kind: unicode"),
    "test.yaml:4:7: detectors[1].name: is listed twice",
  ],
  [
    "version: 1\npolicies: [{ name: p, input_rules: [{ detector_id: x, action: block }] }]",
    "test.yaml:2:37: policies[0].input_rules[0].detector: ",
  ],
  [
    `version: 1\ncollectors: [{ name: c, overrides: [${"{ consumer_id: a, policy: p },".repeat(2)}] }]`,
    "test.yaml:2:69: collectors[0].overrides[1].consumer_id: is listed twice",
  ],
])("%j is rejected with its location", async (text, message) => {
  const read = () => readConfigFile(text, { file: "test.yaml", env: {}, keepSecrets: false });

  expect(await refusal(read)).toStartWith(message);
});
