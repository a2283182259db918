/** A backup contains a consistent copy of every row and can be restored to either database. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backup } from "../../src/db/backup/backup.ts";
import { restore } from "../../src/db/backup/restore.ts";
import { type Db, openDb } from "../../src/db/db.ts";
import { migrate, schemaVersion } from "../../src/db/migrate.ts";
import { schemaOf, schemaTables, tableNames } from "../../src/db/schema-tables.ts";
import { saveOwnedFile } from "../../src/db/tables/owned-files.ts";
import { makeGuard } from "../kit/guard.ts";
import { type Kit, startKit } from "../kit/kit.ts";
import { runProgram } from "../kit/program.ts";
import { type DatabaseKind, databaseKinds, freshDatabase } from "../kit/services.ts";
import { until } from "../kit/until.ts";

const AT = new Date("2026-01-02T03:04:05Z");
const newFile = () => join(mkdtempSync(join(tmpdir(), "portcullis-backup-")), "b.jsonl.gz");

async function opened(url: string) {
  const db = await openDb(url);
  return Object.assign(db, { [Symbol.asyncDispose]: () => db.close() });
}

async function makeThings(kit: Kit): Promise<void> {
  const gateway = await kit.make("/v1/gateways", { name: "Gänseblümchen \u{1F33C}", slug: "g" });
  const path = `/v1/gateways/${gateway.id}`;
  const registry = await kit.make(`${path}/registries`, {
    name: "R",
    provider: "openai",
    auth: { type: "api_key", api_key: "sk-planted-upstream-secret" },
    enabled: false,
  });
  const consumer = await kit.make(`${path}/consumers`, {
    name: "C",
    registries: [{ id: registry.id, weight: 7 }],
  });
  await kit.make(`${path}/consumers/${consumer.id}/keys`, { name: "K" });
  await saveOwnedFile(kit.db, {
    registry_id: registry.id,
    file_id: "file-1",
    consumer_id: consumer.id,
    created_at: AT.toISOString(),
    expires_at: null,
  });
  // Numbers that the two databases return in different types.
  await kit.db.run(
    `INSERT INTO request_events (id, time, trace_id, gateway_id, consumer_id, key_id, endpoint,
       method, attempts, status, request_bytes, response_bytes, total_ms)
     VALUES ('e', 't', 't', 'g', 'c', 'k', 'chat', 'POST', '[]', 200, 9007199254740991, 0, 12.625)`,
  );
}

/**
 * Returns every row of every table in the types that both databases share, without the revision, the schema's
 * own rows, and `last_used_at`, which the running program writes every few seconds.
 */
async function contents(db: Db): Promise<Record<string, unknown[]>> {
  const tables: Record<string, unknown[]> = {};
  for (const { name, columns } of await schemaTables()) {
    const rows = await db.many<Record<string, unknown>>(`SELECT * FROM ${name} ORDER BY 1, 2`);
    const alike = (type: string, value: unknown) =>
      type === "BOOLEAN" ? Boolean(value) : typeof value === "bigint" ? Number(value) : value;
    const compared = columns.filter((column) => column.name !== "last_used_at");
    tables[name] = rows.map((row) => compared.map(({ name, type }) => alike(type, row[name])));
  }
  delete tables.config_revision;
  return tables;
}

const textOf = (file: string): string =>
  new TextDecoder().decode(Bun.gunzipSync(readFileSync(file)));

function rewritten(file: string, change: (lines: string[]) => string[]): string {
  const other = newFile();
  const lines = change(textOf(file).trimEnd().split("\n"));
  writeFileSync(other, Bun.gzipSync(Buffer.from(lines.join("\n"))));
  return other;
}

/** Wraps a database, and calls `interrupt` after its first read. */
function interrupted(db: Db, interrupt: () => Promise<unknown>): Db {
  let reads = 0;
  const spied = (inner: Db): Db => ({
    ...inner,
    async many<Row>(...args: Parameters<Db["many"]>) {
      const rows = await inner.many<Row>(...args);
      if (/FROM "|FETCH/.test(args[0]) && ++reads === 1) await interrupt();
      return rows;
    },
    transaction: (work) => inner.transaction((tx) => work(spied(tx))),
  });
  return spied(db);
}

describe.each(databaseKinds)("%s", (kind) => {
  test("a backup contains every table of the database catalog", async () => {
    await using fresh = await freshDatabase(kind);
    await using db = await opened(fresh.url);
    await migrate(db, AT);

    const known = (await schemaTables()).map(({ name }) => name);

    expect([...known, "migrations"].sort()).toEqual(await tableNames(db));
  });

  test("a table follows the tables it references", async () => {
    const names = (await schemaTables()).map(({ name }) => name);

    expect(names.indexOf("gateways")).toBeLessThan(names.indexOf("registries"));
    expect(names.indexOf("registries")).toBeLessThan(names.indexOf("consumer_registries"));
  });

  test("a non-empty installation is restored only with force, which deletes its data", async () => {
    await using kit = await startKit({ database: kind });
    await makeThings(kit);
    await using own = await opened(kit.database_url);
    const file = newFile();
    await backup(own, file, AT);
    const revision = await own.one<{ revision: number }>("SELECT revision FROM config_revision");
    await kit.make("/v1/gateways", { name: "Later", slug: "later" });

    const refused = restore(own, { file, at: AT, force: false });
    expect(refused).rejects.toThrow("is not empty");
    await refused.catch(() => {});
    await restore(own, { file, at: AT, force: true });

    expect(await own.many("SELECT slug FROM gateways")).toEqual([{ slug: "g" }]);
    const now = await own.one<{ revision: number }>("SELECT revision FROM config_revision");
    // Higher than the revision of the running node, so that it compiles the snapshot again.
    expect(now?.revision).toBe((revision?.revision ?? 0) + 2);
  });

  test("a backup is a consistent snapshot and does not block writers", async () => {
    await using kit = await startKit({ database: kind });
    await makeThings(kit);
    await using own = await opened(kit.database_url);
    const file = newFile();
    const write = () => kit.make("/v1/gateways", { name: "Meanwhile", slug: "meanwhile" });

    await backup(interrupted(own, write), file, AT);

    expect(textOf(file)).not.toContain("meanwhile");
    expect(await own.one("SELECT slug FROM gateways WHERE slug = 'meanwhile'")).toBeDefined();
  });

  describe("a running server", () => {
    let kit: Kit;
    let own: Awaited<ReturnType<typeof opened>>;
    beforeAll(async () => {
      kit = await startKit({ database: kind });
      await makeThings(kit);
      own = await opened(kit.database_url);
    });
    afterAll(async () => {
      await own.close();
      await kit[Symbol.asyncDispose]();
    });

    test.each([
      ["truncated", (lines: string[]) => lines.slice(0, -1), "is truncated"],
      ["short of a row", (lines: string[]) => lines.toSpliced(2, 1), "is damaged"],
      ["of a newer release", (lines: string[]) => lines.with(0, newer(lines[0])), "newer release"],
      ["no backup", (lines: string[]) => lines.with(0, "{}"), "is not a backup"],
      ["garbled", (lines: string[]) => lines.with(3, "nonsense"), "is damaged after row 2"],
      [
        "of another table",
        (lines: string[]) => lines.with(3, '{"table":"gateways; DROP TABLE gateways","row":{}}'),
        "unknown table or column",
      ],
      [
        "of another column",
        (lines: string[]) => lines.with(3, '{"table":"gateways","row":{"id\\") --":"x"}}'),
        "unknown table or column",
      ],
    ])("rejects a file that is %s and changes nothing", async (_, change, message) => {
      const file = newFile();
      await backup(own, file, AT);
      const before = await contents(own);

      const wrong = restore(own, { file: rewritten(file, change), at: AT, force: true });

      expect(await wrong.catch((thrown: Error) => thrown.message)).toContain(message);
      expect(await contents(own)).toEqual(before);
    });

    test("is backed up while it is busy, and the restored rows are those of one moment", async () => {
      const guard = await makeGuard(kit, { gates: [{ name: "all", action: "report" }] });
      const before = await contents(own);
      let busy = true;
      let changes = 0;
      const work = async (worker: number) => {
        for (; busy; changes += 1) {
          await guard.evaluate({ payload: { input: `text ${changes}` } });
          await kit.make("/v1/gateways", { name: `Busy ${worker} ${changes}` });
        }
      };
      const workers = [1, 2, 3].map(work);
      await until(() => changes > 10);
      const file = newFile();
      const settings = { DATABASE_URL: kit.database_url, PORTCULLIS_DATA_DIR: kit.data_dir };
      const saved = await runProgram(["backup", "-o", file], settings);
      busy = false;
      await Promise.all(workers);
      await kit.deps.flushEvaluations();
      const after = await contents(own);

      await using fresh = await freshDatabase(kind);
      const dir = mkdtempSync(join(tmpdir(), "portcullis-restored-"));
      cpSync(join(kit.data_dir, "keys"), join(dir, "keys"));
      const target = { DATABASE_URL: fresh.url, PORTCULLIS_DATA_DIR: dir };
      const restored = await runProgram(["restore", "-f", file], target);
      const doctor = await runProgram(["doctor"], target);
      rmSync(dir, { recursive: true });

      expect([saved.err, restored.err]).toEqual(["", ""]);
      expect(doctor.out).toMatch(/stored secrets: all \d+ can be decrypted/);
      await using db = await opened(fresh.url);
      const rows = await contents(db);
      for (const table of ["gateways", "registries", "evaluation_events", "audit_log"]) {
        expect(after[table]).toEqual(expect.arrayContaining(rows[table] ?? []));
        expect(rows[table]).toEqual(expect.arrayContaining(before[table] ?? []));
      }
      // A gateway and its audit record are one transaction.
      const { gateways, records } = (await db.one<{ gateways: number; records: number }>(
        `SELECT (SELECT COUNT(*) FROM gateways WHERE name LIKE 'Busy%') AS gateways,
           (SELECT COUNT(*) FROM audit_log WHERE resource = 'gateway' AND after LIKE '%"Busy%') AS records`,
      )) ?? { gateways: 0, records: -1 };
      expect(Number(gateways)).toBeGreaterThan(0);
      expect(Number(gateways)).toBe(Number(records));
    }, 30_000);
  });
});

const newer = (line = "") => line.replace(/"schema":"[^"]*"/, '"schema":"9999-later"');

test.each<[DatabaseKind, DatabaseKind]>([
  ["sqlite", "postgres"],
  ["postgres", "sqlite"],
  ["postgres", "postgres"],
])("%s → %s keeps every row", async (from, to) => {
  await using kit = await startKit({ database: from });
  await makeThings(kit);
  await using source = await opened(kit.database_url);
  await using fresh = await freshDatabase(to);
  await using target = await opened(fresh.url);
  const file = newFile();

  const { rows } = await backup(source, file, AT);
  const restored = await restore(target, { file, at: AT, force: false });

  expect(restored).toEqual({ rows, created_at: AT.toISOString() });
  expect(await contents(target)).toEqual(await contents(source));
  expect(statSync(file).mode & 0o077).toBe(0);
  expect(readdirSync(join(file, ".."))).toEqual(["b.jsonl.gz"]);
});

test("a restored installation serves: same token, same keys, same data folder", async () => {
  await using kit = await startKit({ database: "sqlite" });
  await makeThings(kit);
  await using source = await opened(kit.database_url);
  await using fresh = await freshDatabase("postgres");
  await using target = await opened(fresh.url);
  const file = newFile();
  await backup(source, file, AT);
  await restore(target, { file, at: AT, force: false });

  await using moved = await startKit({ database_url: fresh.url, data_dir: kit.data_dir });

  expect(await (await moved.get("/v1/gateways")).json()).toEqual(
    await (await kit.get("/v1/gateways")).json(),
  );
  const [view] = moved.deps.snapshot().registries.values();
  expect(view?.upstream.api_key).toBe("sk-planted-upstream-secret");
});

test.each(databaseKinds)("%s: a backup of an older release is migrated", async (kind) => {
  await using fresh = await freshDatabase(kind);
  await using source = await opened(fresh.url);
  await migrate(source, AT, "0001-foundation");
  await source.run(
    "INSERT INTO idempotent_replies (id, request_hash, reply, created_at) VALUES ('a', 'b', 'c', 'd')",
  );
  await using other = await freshDatabase(kind);
  await using target = await opened(other.url);
  const file = newFile();

  await backup(source, file, AT);
  await restore(target, { file, at: AT, force: false });

  expect(await schemaOf(source)).toBe("0001-foundation");
  expect(await schemaOf(target)).toBe(schemaVersion());
  expect(await target.many("SELECT id FROM idempotent_replies")).toEqual([{ id: "a" }]);
});

test("many rows are restored in batches", async () => {
  await using fresh = await freshDatabase("sqlite");
  await using source = await opened(fresh.url);
  await migrate(source, AT);
  await source.run(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
     INSERT INTO idempotent_replies (id, request_hash, reply, created_at) SELECT 'id' || i, 'h', 'r', 't' FROM n`,
  );
  await using other = await freshDatabase("postgres");
  await using target = await opened(other.url);
  const file = newFile();

  await backup(source, file, AT);
  const { rows } = await restore(target, { file, at: AT, force: false });

  expect(rows).toBe(20_001);
  const counted = await target.one<{ n: string }>(
    "SELECT COUNT(*)::text AS n FROM idempotent_replies",
  );
  expect(counted).toEqual({ n: "20000" });
});
