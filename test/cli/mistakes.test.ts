/** What goes wrong around a command is told in one line that says what to do: no stack, no second installation. */
import { expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../kit/program.ts";
import { freshDatabase } from "../kit/services.ts";

const folder = () => mkdtempSync(join(tmpdir(), "portcullis-mistake-"));

test.each([
  ["a positional argument", ["version", "extra"], "'extra'. See: portcullis version --help"],
  ["a missing value", ["start", "--listen"], "missing. See: portcullis start --help"],
  ["options before the command", ["--json", "version"], "command comes first"],
])("9 %s: the command is not understood, and its help is named", async (_, args, told) => {
  const { code, err } = await runProgram(args);

  expect(code).toBe(2);
  expect(err).toContain(told);
});

test("9 --version and `help <command>` answer what they say", async () => {
  const [flag, help] = [
    await runProgram(["--version"]),
    await runProgram(["help", "key", "create"]),
  ];

  expect(flag).toMatchObject({ code: 0, out: expect.stringMatching(/^portcullis \d/) });
  expect(help).toMatchObject({ code: 0, out: expect.stringContaining("--collector VALUE") });
});

test("9 a command's help lists the settings it reads, with their defaults, and those alone", async () => {
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

test.each([
  [["token", "create", "--name", "x"]],
  [["key", "create", "--consumer", "demo"]],
  [["export"]],
  [["secrets", "rotate"]],
  [["backup", "-o", "never-written.gz"]],
])("9 %j where there is no installation makes none", async (args) => {
  const dir = join(folder(), "data");

  const { code, err } = await runProgram(args, { PORTCULLIS_DATA_DIR: dir });

  expect(code).toBe(1);
  expect(err).toContain(`There is no database at ${dir}/portcullis.db`);
  expect(err).toContain("--data-dir");
  expect(existsSync(dir)).toBe(false);
});

test.each([
  ["a data folder that is a file", { dir: "taken" }, "PORTCULLIS_DATA_DIR"],
  ["a database that is no database", { url: "sqlite:taken" }, "DATABASE_URL"],
  ["a database in no folder", { url: "sqlite:nowhere/x.db" }, "DATABASE_URL"],
  ["a database nobody serves", { url: "postgres://me@127.0.0.1:1/x" }, "DATABASE_URL"],
  ["a port there cannot be", { listen: "127.0.0.1:65536" }, "PORTCULLIS_LISTEN"],
])("9 start with %s says which setting to correct", async (_, given, named) => {
  const at = folder();
  writeFileSync(join(at, "taken"), "not a database, and long enough to be taken for none at all");
  const { dir = "data", url, listen = "127.0.0.1:0" } = given as Record<string, string>;

  const { code, err } = await runProgram(["start", "--listen", listen], {
    PORTCULLIS_DATA_DIR: join(at, dir),
    ...(url && { DATABASE_URL: url.replace("sqlite:", `sqlite:${at}/`) }),
  });

  expect(code).toBe(1);
  expect(err).toContain(named);
  expect(err).not.toMatch(/\n {4}at /);
  rmSync(at, { recursive: true });
});

test("9 a Postgres that has no such database says so, without a stack", async () => {
  await using fresh = await freshDatabase("postgres");

  const { code, err } = await runProgram(["start"], { DATABASE_URL: `${fresh.url}_gone` });

  expect(code).toBe(1);
  expect(err).toContain('_gone" does not exist');
  expect(err).toContain("DATABASE_URL");
  expect(err).not.toMatch(/\n {4}at /);
});

test("9 a file that cannot be written is no bug of ours", async () => {
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
