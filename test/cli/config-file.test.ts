/** The commands for configuration files, backups and secrets. */
import { expect, test } from "bun:test";
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readMetrics } from "../kit/metrics.ts";
import { runProgram, startProgram } from "../kit/program.ts";
import { until } from "../kit/until.ts";

const KEY = "ag_planted-consumer-key-0123456789";
const FILE = `version: 1
gateways:
  - slug: acme
    name: Acme
    registries:
      - { name: Demo, provider: demo }
    consumers:
      - slug: app
        name: App
        registries: [{ registry: Demo }]
        keys: [{ name: First, key: "\${APP_KEY}" }]
`;

function folder() {
  const dir = mkdtempSync(join(tmpdir(), "portcullis-config-"));
  const file = join(dir, "portcullis.yaml");
  writeFileSync(file, FILE);
  const settings = { PORTCULLIS_DATA_DIR: join(dir, "installation"), APP_KEY: KEY };
  return { dir, file, settings };
}

test("apply --dry-run, apply and export, in text", async () => {
  const { dir, file, settings } = folder();
  const out = join(dir, "out.yaml");

  const dry = await runProgram(["apply", "-f", file, "--dry-run"], settings);
  const first = await runProgram(["apply", "-f", file], settings);
  const again = await runProgram(["apply", "-f", file], settings);
  const exported = await runProgram(["export", "-o", out], settings);
  const back = await runProgram(["apply", "-f", out, "--prune"], settings);

  expect(dry).toMatchObject({ code: 0, err: "" });
  expect(dry.out).toContain("+ gateway acme\n    name: Acme\n");
  expect(dry.out).toEndWith("\n4 changes would be made.\n");
  expect(first.out).toEndWith("\n4 changes made.\n");
  expect(again.out).toBe("Nothing to change.\n");
  expect(exported.out).toBe(`Wrote ${out}.\n`);
  expect(statSync(out).mode & 0o077).toBe(0);
  expect(back).toEqual({ code: 0, out: "Nothing to change.\n", err: "" });
});

test("apply --json gives the plan", async () => {
  const { file, settings } = folder();
  await runProgram(["apply", "-f", file], settings);
  writeFileSync(
    file,
    FILE.replace("name: Acme", "name: Acme Inc")
      .replace(/app$/m, "other")
      .replace("name: App", "name: Other"),
  );

  const { code, out } = await runProgram(["apply", "--file", file, "--dry-run", "--json"], {
    ...settings,
    APP_KEY: `${KEY}-2`,
  });

  expect(code).toBe(0);
  const plan = JSON.parse(out);
  expect(plan).toMatchObject({
    dry_run: true,
    changes: [
      {
        action: "update",
        resource: "gateway",
        name: "acme",
        members: [{ member: "name", before: "Acme", after: "Acme Inc" }],
      },
      { action: "create", resource: "consumer", name: "acme / other" },
      { action: "create", resource: "consumer_key" },
    ],
    left_alone: [{ resource: "consumer", name: "acme / app", reason: "not in the file" }],
  });
  expect(out).not.toContain(KEY);
});

test.each([
  [["apply"], 1, "-f: is required."],
  [["apply", "-f", "nowhere.yaml"], 1, "nowhere.yaml: cannot be read"],
  [["apply", "-f", "x", "--nope"], 2, "--nope"],
  [["apply", "x"], 2, "x"],
  [["backup", "-o", "x.gz"], 1, "No database at "],
  [["restore"], 1, "-f: is required."],
  [["restore", "-f", "nowhere.gz"], 1, "nowhere.gz: no such file."],
])("%j exits with %d and a reason", async (args, code, message) => {
  const { settings } = folder();

  const ended = await runProgram(args, settings);

  expect(ended.code).toBe(code);
  expect(ended.err).toContain(message);
});

test("an invalid file exits with 1, and --json names the location and member", async () => {
  const { file, settings } = folder();
  writeFileSync(file, FILE.replace("name: App\n", "nam: App\n"));

  const { code, err, out } = await runProgram(["apply", "-f", file, "--json"], settings);

  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(JSON.parse(err)).toEqual({
    error: "validation_failed",
    message: expect.stringContaining(`${file}:9:9: gateways[0].consumers[0].nam: unknown member`),
  });
});

const ask = (url: string) =>
  fetch(`${url}/app/v1/chat/completions`, {
    method: "POST",
    headers: { "x-ag-api-key": KEY, "content-type": "application/json" },
    body: JSON.stringify({ model: "demo-chat", messages: [{ role: "user", content: "hi" }] }),
  });

test("start --config applies the file, watches it, and keeps the last valid version", async () => {
  const { file, settings } = folder();
  const replace = (text: string) => {
    writeFileSync(`${file}.new`, text);
    renameSync(`${file}.new`, file); // as editors save
  };
  await using program = await startProgram({
    args: ["--config", file],
    settings: { ...settings, PORTCULLIS_DEMO: "true" },
  });
  const gateways = async () =>
    (
      (await (await program.admin("GET", "/v1/gateways")).json()) as { items: { name: string }[] }
    ).items.map(({ name }) => name);

  const served = await ask(program.url);
  const atStart = await gateways();
  replace(FILE.replace("name: Acme", "name: Renamed"));
  await until(async () => (await gateways()).includes("Renamed"));
  const isApplied = async () =>
    (await readMetrics(program.url)).get("portcullis_config_file_applied") === 1;
  const wasApplied = await isApplied();
  replace(FILE.replace("provider: demo", "provider: nope"));
  await until(async () => !(await isApplied()));
  const afterWrong = await ask(program.url);
  writeFileSync(file, FILE.replace("name: Acme", "name: Third"));
  await until(async () => (await gateways()).includes("Third"));
  await until(isApplied);
  program.child.kill("SIGTERM");
  const log = await program.errors;

  expect([served.status, wasApplied]).toEqual([200, true]);
  expect(atStart).toEqual(["Acme"]);
  expect(afterWrong.status).toBe(200);
  const refused = log.split("\n").filter((line) => line.includes("config_file_refused"));
  expect(refused.map((line) => JSON.parse(line))).toMatchObject([
    { level: "error", line: "6", message: expect.stringContaining(`${file}:6:23: `) },
  ]);
});

const GUARD = `detectors:
  - { name: Mail, kind: data_loss_prevention, settings: { predefined_entities: [{ entity: email }] } }
policies:
  - { name: Strict, input_rules: [{ detector: Mail, action: transform }] }
collectors:
  - { name: Bot, default_policy: Strict, keys: [{ name: First, key: "\${GUARD_KEY}" }] }
`;

test("the guard of a file is planned, applied and exported", async () => {
  const { dir, file, settings } = folder();
  const out = join(dir, "out.yaml");
  const key = "pc_planted-collector-key-0123456789";
  const known = { ...settings, GUARD_KEY: key };
  writeFileSync(file, FILE + GUARD);

  const dry = await runProgram(["apply", "-f", file, "--dry-run"], known);
  await using program = await startProgram({ args: ["--config", file], settings: known });
  const judged = await fetch(`${program.url}/v1/evaluate`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ payload: { input: "Write to bo@example.com" } }),
  });
  await runProgram(["export", "-o", out], known);
  const back = await runProgram(["apply", "-f", out, "--prune"], known);

  expect(dry.out).toContain(
    '+ policy Strict\n    name: Strict\n    mode: enforce\n    gates: []\n    input_rules: [{"detector":"Mail","action":"transform"',
  );
  expect(dry.out).toContain("+ collector key Bot / First (pc_plan…)\n");
  expect(await judged.json()).toMatchObject({ status: "transform" });
  expect(readFileSync(out, "utf8")).toContain("default_policy: Strict\n");
  expect(back.out).toBe("Nothing to change.\n");
});

test("an invalid file at start exits with 1 and does not consume the first token", async () => {
  const { file, settings } = folder();
  const first = { ...settings, PORTCULLIS_ADMIN_TOKEN: "" };
  writeFileSync(file, `${FILE}nope: 1\n`);

  const { code, err } = await runProgram(["start", "--config", file], first);
  writeFileSync(file, FILE);
  await using program = await startProgram({ args: ["--config", file], settings: first });

  expect(code).toBe(1);
  expect(err).toContain(`portcullis: ${file}:12:1: nope: unknown member`);
  expect(program.printed()).toMatch(/\n {2}pa_[\w-]{43}\n/);
});

test("an export can be applied to an empty installation", async () => {
  const { dir, settings } = folder();
  const out = join(dir, "out.yaml");
  const demo = { ...settings, PORTCULLIS_DEMO: "true" };
  const rebuilt = { ...demo, PORTCULLIS_DATA_DIR: join(dir, "rebuilt") };
  await (await startProgram({ settings: demo })).stop();
  await runProgram(["export", "-o", out], demo);
  await runProgram(["apply", "-f", out], rebuilt);

  await (await startProgram({ settings: rebuilt })).stop();
  const back = await runProgram(["apply", "-f", out, "--prune"], rebuilt);

  expect(back.out).toBe("Nothing to change.\n");
});

test("a file may contain the first token", async () => {
  const { file, settings } = folder();
  const token = `tokens:\n  - { name: Boss, role: owner, token: "\${PORTCULLIS_ADMIN_TOKEN}" }\n`;
  writeFileSync(file, FILE + token);

  await using program = await startProgram({ args: ["--config", file], settings });

  const who = await program.admin("GET", "/v1/whoami");
  expect(await who.json()).toMatchObject({ name: "Boss", role: "owner" });
});

test("backup and restore move an installation into another folder", async () => {
  const { dir, file, settings } = folder();
  const saved = join(dir, "saved.jsonl.gz");
  const moved = { ...settings, PORTCULLIS_DATA_DIR: join(dir, "moved") };
  await runProgram(["apply", "-f", file], settings);

  const backup = await runProgram(["backup", "-o", saved], settings);
  const twice = await runProgram(["backup", "-o", saved], settings);
  const restored = await runProgram(["restore", "-f", saved, "--json"], moved);
  const again = await runProgram(["restore", "-f", saved], moved);
  writeFileSync(join(dir, "moved/keys"), readFileSync(join(dir, "installation/keys")));
  const plan = await runProgram(["apply", "-f", file, "--dry-run"], moved);

  expect(backup.out).toMatch(/^Wrote \d+ rows to .*saved.jsonl.gz\.\nSecrets in it are encrypted/);
  expect(twice).toMatchObject({ code: 1, err: expect.stringContaining("already exists") });
  expect(JSON.parse(restored.out)).toMatchObject({ keys: "missing", rows: expect.any(Number) });
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining("--force") });
  expect(plan.out).toBe("Nothing to change.\n");
  expect(existsSync(`${saved}.part`)).toBe(false);
});
