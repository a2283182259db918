/** portcullis doctor finds problems, suggests fixes, and changes nothing. */
import { expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDb } from "../../src/db/db.ts";
import { migrate } from "../../src/db/migrate.ts";
import { startKit } from "../kit/kit.ts";
import { runProgram, startProgram } from "../kit/program.ts";
import { databaseKinds, freshDatabase, freshRedis } from "../kit/services.ts";

interface Check {
  name: string;
  state: string;
  message: string;
  todo?: string;
}

async function doctor(settings: Record<string, string>) {
  const { code, out, err } = await runProgram(["doctor", "--json"], settings);
  const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: Check[] };
  const find = (name: string) => checks.find((check) => check.name === name);
  return { code, err, ok, checks, find };
}

const wrong = (checks: Check[]) =>
  checks.filter(({ state }) => state !== "ok").map(({ name, state }) => `${state} ${name}`);

const folder = () => mkdtempSync(join(tmpdir(), "portcullis-doctor-"));

/** Names, modes, times and bytes of everything in a folder. */
const fingerprint = (dir: string) =>
  readdirSync(dir)
    .sort()
    .map((name) => {
      const { mode, mtimeMs } = statSync(join(dir, name));
      return [name, mode, mtimeMs, Bun.hash(readFileSync(join(dir, name)))];
    });

test("complete weight files and a reachable Redis pass, an unreachable one is reported with a fix", async () => {
  await using redis = await freshRedis();
  const there = await doctor({ REDIS_URL: redis.url });
  const away = await doctor({ REDIS_URL: "redis://:secret-of-redis@127.0.0.1:1" });
  const none = await doctor({});

  expect(there.find("redis")).toEqual({ name: "redis", state: "ok", message: "available" });
  expect(none.find("detection models")).toMatchObject({ state: "ok" });
  expect(away).toMatchObject({ code: 1, ok: false });
  expect(away.find("redis")).toMatchObject({
    state: "fail",
    todo: expect.stringContaining("REDIS_URL"),
  });
  expect(JSON.stringify(away.checks)).not.toContain("secret-of-redis");
  expect(none.find("redis")).toBeUndefined();
});

test.each(databaseKinds)(
  "%s: a sound installation that serves has nothing to fix",
  async (kind) => {
    await using fresh = await freshDatabase(kind);
    const dir = folder();
    const settings = { PORTCULLIS_DATA_DIR: dir, DATABASE_URL: fresh.url };
    await using program = await startProgram({ settings });

    const listen = new URL(program.url).host;
    const { code, ok, checks, find } = await doctor({ ...settings, PORTCULLIS_LISTEN: listen });

    expect({ code, ok, wrong: wrong(checks) }).toEqual({ code: 0, ok: true, wrong: [] });
    expect(find(`listen ${listen}`)?.message).toBe("used by a running Portcullis");
  },
);

test("it creates nothing without an installation", async () => {
  const dir = join(folder(), "not-yet");

  const { code, find } = await doctor({ PORTCULLIS_DATA_DIR: dir });

  expect(code).toBe(0);
  expect(find("database")).toMatchObject({ state: "warn", todo: "portcullis start creates one." });
  expect(() => statSync(dir)).toThrow();
});

test("it changes nothing, not even a file mode it reports", async () => {
  const dir = folder();
  const settings = { PORTCULLIS_DATA_DIR: dir };
  const program = await startProgram({ settings });
  program.child.kill("SIGTERM");
  await program.child.exited;
  chmodSync(join(dir, "keys"), 0o644);
  const before = fingerprint(dir);

  const { find } = await doctor(settings);

  expect(find("key file")).toMatchObject({ state: "warn", todo: `chmod 600 ${join(dir, "keys")}` });
  expect(fingerprint(dir)).toEqual(before);
});

test("it reports wrong keys, an undecryptable secret, expiring tokens and a newer schema", async () => {
  await using kit = await startKit();
  const settings = { PORTCULLIS_DATA_DIR: kit.data_dir, DATABASE_URL: kit.database_url };
  const key = (fill: number) => `k:${Buffer.alloc(32, fill).toString("base64")}`;
  await kit.make("/v1/tokens", {
    name: "Soon over",
    role: "viewer",
    expires_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  const gateway = await kit.make("/v1/gateways", { name: "G" });
  await kit.make(`/v1/gateways/${gateway.id}/registries`, {
    name: "R",
    provider: "openai",
    auth: { type: "api_key", api_key: "sk-planted-secret" },
  });

  const foreign = await doctor({ ...settings, PORTCULLIS_KEYS: key(1) });
  await kit.db.run(`UPDATE registries SET auth = '{"api_key":"sealed:v2:gone:AAAA"}'`);
  const lost = await doctor(settings);
  await kit.db.run("INSERT INTO migrations (id, applied_at) VALUES ('9999-later', 'x')");
  const newer = await doctor(settings);

  expect(wrong(foreign.checks)).toContain("fail encryption keys");
  expect(foreign.code).toBe(1);
  expect(wrong(lost.checks)).toEqual(["fail stored secrets", "warn administrator tokens"]);
  expect(lost.find("administrator tokens")?.message).toContain('"Soon over" expires 20');
  expect(newer.find("database")).toMatchObject({ state: "fail" });
});

test("it reports a port in use, a misspelled setting and an exposed demo key", async () => {
  using taken = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const dir = folder();
  const settings = { PORTCULLIS_DATA_DIR: dir, PORTCULLIS_DEMO: "true" };
  const program = await startProgram({ settings });
  program.child.kill("SIGTERM");
  await program.child.exited;

  const { code, find } = await doctor({
    ...settings,
    PORTCULLIS_LISTEN_ADMIN: `127.0.0.1:${taken.port}`,
    PORTCULLIS_LISTEN_GATEWAY: "0.0.0.0:0",
    PORTCULLIS_LISTN: "x",
  });

  expect(code).toBe(1);
  expect(find(`listen 127.0.0.1:${taken.port}`)).toMatchObject({
    state: "fail",
    message: "another program uses this port",
  });
  expect(find("settings")).toMatchObject({ message: "unknown setting PORTCULLIS_LISTN" });
  expect(find("demo key")).toMatchObject({ state: "warn" });
});

test("an unreachable database fails without printing its password", async () => {
  const url = "postgres://user:planted-password@127.0.0.1:1/nothing";

  const { code, find, checks } = await doctor({ DATABASE_URL: url });

  expect(code).toBe(1);
  expect(find("database")?.state).toBe("fail");
  expect(JSON.stringify(checks)).not.toContain("planted-password");
});

test("an invalid configuration file is reported with its line and a fix", async () => {
  const file = join(folder(), "p.yaml");
  writeFileSync(file, "version: 1\nnope: 2\n");

  const { code, out } = await runProgram(["doctor"], { PORTCULLIS_CONFIG: file });

  expect(code).toBe(1);
  expect(out).toContain(`FAIL  configuration file: ${file}:2:1: nope: unknown member\n      → `);
  expect(out).toMatch(/\n\d+ checks: 1 failed, \d+ warned\.\n$/);
});

test("a database without a schema counts as new", async () => {
  await using fresh = await freshDatabase("sqlite");
  const db = await openDb(fresh.url);
  await db.run("CREATE TABLE migrations (id TEXT PRIMARY KEY, applied_at TEXT NOT NULL)");
  await db.close();

  const { find } = await doctor({ DATABASE_URL: fresh.url });

  expect(find("database")).toMatchObject({ state: "warn", todo: "portcullis start creates one." });
});

test("an older schema is a warning and is not migrated", async () => {
  await using fresh = await freshDatabase("sqlite");
  const db = await openDb(fresh.url);
  await migrate(db, new Date(0), "0001-foundation");
  await db.close();

  const { code, find } = await doctor({ DATABASE_URL: fresh.url });
  const again = await doctor({ DATABASE_URL: fresh.url });

  expect(code).toBe(0);
  expect(find("database")).toMatchObject({
    state: "warn",
    message: "schema 0001-foundation belongs to an older release",
  });
  expect(again.find("database")).toEqual(find("database"));
});

test("a copyable command quotes a folder name with quotes and substitutions", async () => {
  const parent = folder();
  const dir = join(parent, "it's $(touch pwned) `touch pwned`");
  mkdirSync(dir, { mode: 0o755 });
  chmodSync(dir, 0o755);
  const { find } = await doctor({ PORTCULLIS_DATA_DIR: dir });

  const { exitCode } = Bun.spawnSync(["sh", "-c", find("data folder")?.todo ?? ""], {
    cwd: parent,
  });

  expect(exitCode).toBe(0);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(readdirSync(parent)).toHaveLength(1);
});
