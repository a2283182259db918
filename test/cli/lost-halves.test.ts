/** A database without its key file, or a key file without its database, is rejected before anything is created. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDb } from "../../src/db/db.ts";
import { tableNames } from "../../src/db/schema-tables.ts";
import { sqliteFile } from "../../src/db/sqlite.ts";
import { startKit } from "../kit/kit.ts";
import { runProgram } from "../kit/program.ts";
import { databaseKinds, freshDatabase } from "../kit/services.ts";

const emptyFolder = () => mkdtempSync(join(tmpdir(), "portcullis-halves-"));

/** An installation that does not run. */
async function installed(database_url: string, data_dir: string): Promise<void> {
  await using kit = await startKit({ database_url, data_dir });
  await kit.make("/v1/gateways", { name: "g" });
}

const start = (DATABASE_URL: string, PORTCULLIS_DATA_DIR: string) =>
  runProgram(["start"], { DATABASE_URL, PORTCULLIS_DATA_DIR });

describe.each(databaseKinds)("on %s", (database) => {
  test("a database whose key file is missing is rejected, and no key file is created", async () => {
    await using fresh = await freshDatabase(database);
    const dir = emptyFolder();
    await installed(fresh.url, dir);
    const elsewhere = join(dir, "elsewhere");
    const lost = join(dir, "lost");
    renameSync(join(dir, "keys"), lost);

    const [missing, wrong] = [await start(fresh.url, dir), await start(fresh.url, elsewhere)];

    expect([missing.code, wrong.code]).toEqual([1, 1]);
    for (const part of ["keys is missing", "PORTCULLIS_KEYS", "--data-dir"]) {
      expect(missing.err).toContain(part);
    }
    expect([existsSync(join(dir, "keys")), existsSync(elsewhere)]).toEqual([false, false]);
    renameSync(lost, join(dir, "keys"));
    await using kit = await startKit({ database_url: fresh.url, data_dir: dir });
    expect((await kit.get("/v1/gateways")).status).toBe(200);
    rmSync(dir, { recursive: true });
  });

  test("a key file whose database is empty is rejected, and the database stays empty", async () => {
    await using first = await freshDatabase(database);
    await using empty = await freshDatabase(database);
    const dir = emptyFolder();
    await installed(first.url, dir);
    const before = readdirSync(dir);

    const { code, err } = await start(empty.url, dir);
    const doctor = await runProgram(["doctor"], {
      DATABASE_URL: empty.url,
      PORTCULLIS_DATA_DIR: dir,
    });

    expect(code).toBe(1);
    expect(err).toContain("To start over, delete");
    for (const text of [err, doctor.out]) expect(text).toContain(`${join(dir, "keys")} exists`);
    expect(readdirSync(dir)).toEqual(before);
    const file = sqliteFile(empty.url);
    if (file) return expect(existsSync(file)).toBe(false);
    const db = await openDb(empty.url);
    expect(await tableNames(db)).toEqual([]);
    await db.close();
    rmSync(dir, { recursive: true });
  });

  test("keys in PORTCULLIS_KEYS start an empty database, and an existing one without a key file", async () => {
    await using fresh = await freshDatabase(database);
    const dir = emptyFolder();
    const keys = `k1:${Buffer.alloc(32, 7).toString("base64")}`;
    const given = { database_url: fresh.url, settings: { PORTCULLIS_KEYS: keys } };
    await (await startKit({ ...given, data_dir: dir }))[Symbol.asyncDispose]();

    await using again = await startKit({ ...given, data_dir: join(dir, "other") });

    expect((await again.get("/v1/gateways")).status).toBe(200);
    expect(existsSync(join(dir, "keys"))).toBe(false);
    rmSync(dir, { recursive: true });
  });

  test("a first start that was interrupted is completed by the next one", async () => {
    await using fresh = await freshDatabase(database);
    const dir = emptyFolder();
    const [keys, pending] = [join(dir, "keys"), join(dir, "keys.first")];
    await installed(fresh.url, dir);
    // Interrupted after the database was written, before the key file got its name.
    renameSync(keys, pending);
    await (await startKit({ database_url: fresh.url, data_dir: dir }))[Symbol.asyncDispose]();
    expect([existsSync(keys), existsSync(pending)]).toEqual([true, false]);

    // Interrupted before the database was written.
    await using empty = await freshDatabase(database);
    renameSync(keys, pending);
    const used = readFileSync(pending, "utf8");
    await (await startKit({ database_url: empty.url, data_dir: dir }))[Symbol.asyncDispose]();
    expect(readFileSync(keys, "utf8")).toBe(used);
    rmSync(dir, { recursive: true });
  });

  test("nodes that start at once on an empty folder and database get the same keys", async () => {
    await using fresh = await freshDatabase(database);
    const dir = emptyFolder();
    const options = { database_url: fresh.url, data_dir: dir };

    const nodes = await Promise.all([startKit(options), startKit(options), startKit(options)]);

    const keys = nodes.map(({ deps }) => [...deps.keyring().keys.keys()]);
    expect(new Set(keys.map(String)).size).toBe(1);
    expect(readFileSync(join(dir, "keys"), "utf8")).toStartWith(`${keys[0]}:`);
    for (const node of nodes) await node[Symbol.asyncDispose]();
    rmSync(dir, { recursive: true });
  });
});

test("keys of an interrupted first start follow a rotation", async () => {
  await using fresh = await freshDatabase("sqlite");
  const dir = emptyFolder();
  await installed(fresh.url, dir);
  renameSync(join(dir, "keys"), join(dir, "keys.first"));
  await using kit = await startKit({ database_url: fresh.url, data_dir: dir });
  const before = kit.deps.keyring().current;

  const settings = { DATABASE_URL: fresh.url, PORTCULLIS_DATA_DIR: dir };
  expect((await runProgram(["secrets", "rotate"], settings)).code).toBe(0);

  expect(kit.deps.keyring().current).not.toBe(before);
  rmSync(dir, { recursive: true });
});
