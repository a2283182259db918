/** The command line: help, mistakes, exit codes, secrets shown once. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadCommands } from "../../src/cli/commands/all.ts";
import { runProgram, startProgram } from "../kit/program.ts";

/** The installation that all commands use. */
const installed = { PORTCULLIS_DATA_DIR: mkdtempSync(join(tmpdir(), "portcullis-cli-")) };
beforeAll(async () => (await startProgram({ settings: installed })).stop());
afterAll(() => rmSync(installed.PORTCULLIS_DATA_DIR, { recursive: true }));

test("without a command, and with --help, it lists the commands", async () => {
  const [bare, help] = [await runProgram([]), await runProgram(["--help"])];

  expect([bare.code, help.code]).toEqual([0, 0]);
  for (const { name } of await loadCommands()) expect(help.out).toContain(`  ${name} `);
});

test.each([
  ["an unknown command", ["frobnicate"], 2, "frobnicate"],
  ["an unknown option", ["start", "--nonsense"], 2, "--nonsense"],
  [
    "a missing value",
    ["token create"].concat("--role", "--json").flatMap((word) => word.split(" ")),
    2,
    "--role",
  ],
  ["a wrong setting", ["start", "--listen", "nowhere"], 1, "PORTCULLIS_LISTEN"],
  ["an unknown role", ["token", "create", "--name", "x", "--role", "king"], 1, "role"],
  ["a missing name", ["token", "create"], 1, "name"],
  ["an unknown gateway", ["token", "create", "--name", "x", "--gateways", "a"], 1, '"a"'],
  ["an unknown consumer", ["key", "create", "--consumer", "unknown"], 1, "unknown"],
  ["an unknown collector", ["key", "create", "--collector", "nothing"], 1, "nothing"],
  ["a key without an owner", ["key", "create"], 1, "--collector"],
  ["a key for two", ["key", "create", "--consumer", "a", "--collector", "b"], 1, "either"],
])("%s is reported in one line", async (_, args, code, named) => {
  const run = await runProgram(args, installed);

  expect(run.code).toBe(code);
  expect(run.err).toContain(named);
  expect(run.err).not.toMatch(/\n {4,}at /);
  expect(run.out).toBe("");
});

test("--json gives errors as JSON too", async () => {
  const args = ["key", "create", "--consumer", "unknown", "--json"];
  const { code, err } = await runProgram(args, installed);

  expect(code).toBe(1);
  expect(JSON.parse(err)).toEqual({
    error: "not_found",
    message: expect.stringContaining("unknown"),
  });
});

test("a token created on the command line works immediately on the running server", async () => {
  const dir = mkdtempSync(join(tmpdir(), "portcullis-cli-"));
  const settings = { PORTCULLIS_DATA_DIR: dir };
  await using program = await startProgram({ settings });

  const made = await runProgram(
    ["token", "create", "--name", "ops", "--role", "viewer", "--json"],
    settings,
  );
  const { token } = JSON.parse(made.out) as { token: string };
  let status = 0;
  for (let tries = 0; tries < 200 && status !== 200; tries += 1) {
    status = (
      await fetch(`${program.url}/v1/gateways`, { headers: { authorization: `Bearer ${token}` } })
    ).status;
    if (status !== 200) await Bun.sleep(10);
  }

  expect(status).toBe(200);
  expect(token).toMatch(/^pa_/);
  rmSync(dir, { recursive: true, force: true });
});

test("a token is limited to gateways by their slugs", async () => {
  const dir = mkdtempSync(join(tmpdir(), "portcullis-cli-"));
  const settings = { PORTCULLIS_DATA_DIR: dir, PORTCULLIS_DEMO: "true" };
  await (await startProgram({ settings })).stop();

  const args = ["token", "create", "--name", "demo only", "--gateways", "demo", "--json"];
  const { out } = await runProgram(args, settings);

  expect(JSON.parse(out)).toMatchObject({
    gateway_ids: [expect.stringMatching(/^[0-9a-f-]{36}$/)],
  });
  rmSync(dir, { recursive: true, force: true });
});

test.each([
  ["--consumer", "demo", "ag"],
  ["--collector", "Demo application", "pc"],
])("a key created with %s is printed once, with a note", async (flag, holder, prefix) => {
  const dir = mkdtempSync(join(tmpdir(), "portcullis-cli-"));
  const settings = { PORTCULLIS_DATA_DIR: dir, PORTCULLIS_DEMO: "true" };
  await (await startProgram({ settings })).stop();

  const { code, out } = await runProgram(["key", "create", flag, holder], settings);

  expect(code).toBe(0);
  expect(out).toMatch(new RegExp(`^${prefix}_[\\w-]{43}\n\nCopy it now:`));
  rmSync(dir, { recursive: true, force: true });
});

test("a port in use at the first start does not consume the token", async () => {
  const dir = mkdtempSync(join(tmpdir(), "portcullis-cli-"));
  const settings = { PORTCULLIS_DATA_DIR: dir, PORTCULLIS_ADMIN_TOKEN: "" };
  using taken = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });

  const failed = await runProgram(["start", "--listen", `127.0.0.1:${taken.port}`], settings);
  await using program = await startProgram({ settings });

  expect(failed.code).toBe(1);
  expect(program.printed()).toMatch(/\n {2}pa_[\w-]{43}\n/);
  rmSync(dir, { recursive: true, force: true });
});

test("a proxy in the environment is ignored", async () => {
  using upstream = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => Response.json({ data: [] }),
  });
  const proxy = "http://127.0.0.1:1";
  await using program = await startProgram({
    settings: { HTTP_PROXY: proxy, http_proxy: proxy, ALL_PROXY: proxy },
  });
  const { id } = (await (await program.admin("POST", "/v1/gateways", { name: "g" })).json()) as {
    id: string;
  };

  const reply = await program.admin("POST", `/v1/gateways/${id}/registries/test-connection`, {
    name: "r",
    provider: "openai_compatible",
    provider_options: { base_url: `${upstream.url.origin}/v1` },
    allow_private: true,
  });

  expect(await reply.json()).toMatchObject({ ok: true, status_code: 200 });
});
