/** Mistakes are reported in one line with a fix: no stack trace, no second installation. */

import { expect, test } from "bun:test";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { runProgram, startProgram, WITHOUT_ROOT_RIGHTS } from "../kit/program.ts";
import { freshDatabase } from "../kit/services.ts";

const folder = () => mkdtempSync(join(tmpdir(), "portcullis-mistake-"));

test.each([
  ["a positional argument", ["version", "extra"], "'extra'. See: portcullis version --help"],
  ["a missing value", ["start", "--listen"], "missing. See: portcullis start --help"],
  ["a value with a dash", ["start", "--listen", "-1"], "ambiguous. See: portcullis start --help"],
  ["options before the command", ["--json", "version"], "Put the command before its options"],
])("%s: an invalid command refers to its help", async (_, args, message) => {
  const { code, err } = await runProgram(args);

  expect(code).toBe(2);
  expect(err).toContain(message);
});

test("--version and `help <command>` work", async () => {
  const [flag, help] = [
    await runProgram(["--version"]),
    await runProgram(["help", "key", "create"]),
  ];

  expect(flag).toMatchObject({ code: 0, out: expect.stringMatching(/^portcullis \d/) });
  expect(help).toMatchObject({ code: 0, out: expect.stringContaining("--collector VALUE") });
});

test("a command's help lists exactly the settings it reads, with defaults", async () => {
  const [key, start] = [
    await runProgram(["key", "create", "--help"]),
    await runProgram(["start", "--help"]),
  ];

  expect(key.out).toContain("--data-dir VALUE");
  expect(key.out).toContain("--json");
  expect(key.out).not.toContain("--listen");
  expect(start.out).toContain("Default: 127.0.0.1:8080.");
  expect(start.out).not.toContain("](");
});

test("an idle timeout longer than the client's connection is rejected", async () => {
  const { code, err } = await runProgram(["start", "--upstream-idle-timeout-s", "300"]);

  expect(code).toBe(1);
  expect(err).toContain("UPSTREAM_IDLE_TIMEOUT_S");
  expect(err).toContain("250");
});

test.each([
  [["token", "create", "--name", "x"]],
  [["key", "create", "--consumer", "demo"]],
  [["export"]],
  [["secrets", "rotate"]],
  [["backup", "-o", "never-written.gz"]],
])("%j without an installation creates none", async (args) => {
  const dir = join(folder(), "data");

  const { code, err } = await runProgram(args, { PORTCULLIS_DATA_DIR: dir });

  expect(code).toBe(1);
  expect(err).toContain(`No database at ${dir}/portcullis.db`);
  expect(err).toContain("--data-dir");
  expect(existsSync(dir)).toBe(false);
});

test.each([
  ["a data folder that is a file", { dir: "taken" }, "PORTCULLIS_DATA_DIR"],
  ["a database that is no database", { url: "sqlite:taken" }, "DATABASE_URL"],
  ["a database in no folder", { url: "sqlite:nowhere/x.db" }, "DATABASE_URL"],
  ["an unreachable database", { url: "postgres://me@127.0.0.1:1/x" }, "DATABASE_URL"],
  ["a database in memory", { url: "sqlite::memory:" }, "DATABASE_URL: must be a file"],
  [
    "a password with a /",
    { url: "postgres://me:s/cret@127.0.0.1/x" },
    "DATABASE_URL: is not a valid URL",
  ],
  [
    "a password with a %",
    { url: "postgres://me:s%cret@127.0.0.1/x" },
    "DATABASE_URL: is not a valid URL",
  ],
  [
    "a password file that does not exist",
    { url: "postgres://me@127.0.0.1/x", password: "/nowhere/password" },
    "DATABASE_PASSWORD_FILE: /nowhere/password cannot be read (ENOENT)",
  ],
  [
    "a password file without a URL",
    { password: "/nowhere/password" },
    "DATABASE_PASSWORD_FILE: set DATABASE_URL",
  ],
  [
    "a Redis password with a /",
    { redis: "redis://:s/cret@127.0.0.1" },
    "REDIS_URL: is not a valid URL",
  ],
  ["a number that is none", { mib: "many" }, "JSON_BODY_MIB: must be a number"],
  ["half a number", { mib: "1.5" }, "JSON_BODY_MIB: must be a whole number"],
  ["a port there cannot be", { listen: "127.0.0.1:65536" }, "PORTCULLIS_LISTEN"],
  ["an address of another machine", { admin: "192.0.2.1:80" }, "Set PORTCULLIS_LISTEN_ADMIN"],
])("start with %s names the setting to correct", async (_, given, named) => {
  const at = folder();
  writeFileSync(join(at, "taken"), "not a database, and long enough to be taken for none at all");
  const { dir = "data", listen = "127.0.0.1:0", ...others } = given as StartOptions;
  const { url, password, redis, admin, mib } = others;

  const { code, err } = await runProgram(["start", "--listen", listen], {
    PORTCULLIS_DATA_DIR: join(at, dir),
    ...(url && { DATABASE_URL: url.replace(/^sqlite:(?!:)/, `sqlite:${at}/`) }),
    ...(password && { DATABASE_PASSWORD_FILE: password }),
    ...(redis && { REDIS_URL: redis }),
    ...(mib && { JSON_BODY_MIB: mib }),
    ...(admin && { PORTCULLIS_LISTEN_ADMIN: admin }),
  });

  expect(code).toBe(1);
  expect(err).toContain(named);
  expect(err).not.toMatch(/\n {4}at /);
  expect(err).not.toContain("cret");
  rmSync(at, { recursive: true });
});

interface StartOptions {
  dir?: string;
  url?: string;
  password?: string;
  redis?: string;
  admin?: string;
  mib?: string;
  listen?: string;
}

test.each([
  [["token", "create", "--name", "x"]],
  [["export"]],
  [["backup", "-o", "never-written.gz"]],
])("%j on a Postgres without an installation creates none", async (args) => {
  await using fresh = await freshDatabase("postgres");

  const { code, err } = await runProgram(args, { DATABASE_URL: fresh.url });

  expect(code).toBe(1);
  expect(err).toContain("contains no installation");
  expect(err).toContain("DATABASE_URL");
});

test("missing rights of the Postgres user are reported without a stack trace", async () => {
  await using fresh = await freshDatabase("postgres");
  const role = `poor_${process.pid}`;
  const sql = new SQL(fresh.url);
  await sql.unsafe(`CREATE ROLE ${role} LOGIN`);
  const url = new URL(fresh.url);
  url.username = role;

  const { code, err } = await runProgram(["start"], { DATABASE_URL: url.href });
  await sql.unsafe(`DROP ROLE ${role}`);
  await sql.close();

  expect(code).toBe(1);
  expect(err).toMatch(/permission denied.*DATABASE_URL.*may create tables/);
});

test("an unreadable data folder is not treated as empty", async () => {
  const at = folder();
  const settings = { PORTCULLIS_DATA_DIR: join(at, "data") };
  writeFileSync(join(at, "none.yaml"), "version: 1\n");
  await runProgram(["apply", "-f", join(at, "none.yaml")], settings);
  chmodSync(settings.PORTCULLIS_DATA_DIR, 0);

  const exported = await runProgram(["export"], settings, WITHOUT_ROOT_RIGHTS);
  const started = await runProgram(["start"], settings, WITHOUT_ROOT_RIGHTS);
  const examined = await runProgram(["doctor"], settings, WITHOUT_ROOT_RIGHTS);

  expect([exported.code, started.code, examined.code]).toEqual([1, 1, 1]);
  expect(exported.err).toContain("permission denied");
  expect(started.err).toContain("permissions of this user");
  expect(examined.out).toMatch(
    /FAIL {2}database: .*permission denied.*\n.*permissions of this user/,
  );
  chmodSync(settings.PORTCULLIS_DATA_DIR, 0o700);
  rmSync(at, { recursive: true });
});

test("a misspelled setting is logged at start", async () => {
  const program = await startProgram({ settings: { PORTCULLIS_LISTN: "127.0.0.1:1" } });
  await program.stop();

  const [first = ""] = (await program.errors).split("\n");
  expect(JSON.parse(first)).toMatchObject({
    level: "warn",
    event: "unknown_setting",
    setting: "PORTCULLIS_LISTN",
  });
});

test("a missing Postgres database is reported without a stack trace", async () => {
  await using fresh = await freshDatabase("postgres");

  const { code, err } = await runProgram(["start"], { DATABASE_URL: `${fresh.url}_gone` });

  expect(code).toBe(1);
  expect(err).toContain('_gone" does not exist');
  expect(err).toContain("DATABASE_URL");
  expect(err).not.toMatch(/\n {4}at /);
});

test("an unwritable file is not reported as an internal error", async () => {
  const at = folder();
  const settings = { PORTCULLIS_DATA_DIR: at };
  writeFileSync(join(at, "none.yaml"), "version: 1\n");
  await runProgram(["apply", "-f", join(at, "none.yaml")], settings);

  const { code, err } = await runProgram(["export", "-o", join(at, "nowhere/x.yaml")], settings);

  expect(code).toBe(1);
  expect(err).toStartWith("portcullis: ENOENT");
  expect(err.trim().split("\n")).toHaveLength(1);
  rmSync(at, { recursive: true });
});
