/** Secrets of format version 1, without a seal context, are upgraded once when the database is opened. */
import { describe, expect, test } from "bun:test";
import { createCipheriv, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Db, openDb } from "../../src/db/db.ts";
import { listSealedTexts, rewriteSealed } from "../../src/db/sealed-columns.ts";
import { type Keyring, unseal } from "../../src/lib/crypto/seal.ts";
import { hashSecret } from "../../src/lib/crypto/secrets.ts";
import { makeGuardWithRules, type TestGuard } from "../kit/guard.ts";
import { type Kit, OWNER_TOKEN, startKit } from "../kit/kit.ts";
import { runProgram } from "../kit/program.ts";
import { type DatabaseKind, databaseKinds, freshDatabase } from "../kit/services.ts";
import { startUpstream } from "../kit/upstream.ts";

const SECRET = "sk-upgraded-0123456789";

function sealV1({ current, keys }: Keyring, plain: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keys.get(current) ?? new Uint8Array(), iv);
  const parts = [iv, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()];
  return `sealed:v1:${current}:${Buffer.concat(parts).toString("base64url")}`;
}

/** Converts every secret to version 1, as the previous release stored it. */
async function downgrade(kit: Kit): Promise<void> {
  const keyring = kit.deps.keyring();
  await kit.db.transaction((tx) =>
    rewriteSealed(tx, (sealed, context) => sealV1(keyring, unseal(keyring, context, sealed) ?? "")),
  );
}

interface Old {
  database_url: string;
  data_dir: string;
  registry: { id: string };
  guard: TestGuard;
  keyring: Keyring;
}

/** Runs a test with a stopped installation that has secrets of version 1. */
async function withOld(
  database: DatabaseKind,
  work: (old: Old, upstream: ReturnType<typeof startUpstream>) => Promise<void>,
  lost?: string,
): Promise<void> {
  await using fresh = await freshDatabase(database);
  await using upstream = startUpstream({ body: { matches: [] } });
  const data_dir = mkdtempSync(join(tmpdir(), "portcullis-old-"));
  const old = { database_url: fresh.url, data_dir };
  const made = await (async () => {
    await using kit = await startKit(old);
    const gateway = await kit.make("/v1/gateways", { name: "g" });
    const registry = await kit.make(`/v1/gateways/${gateway.id}/registries`, {
      name: "Own",
      provider: "openai_compatible",
      provider_options: { base_url: upstream.url, headers: { "x-team": SECRET } },
      auth: { type: "api_key", api_key: SECRET },
      allow_private: true,
    });
    const settings = { url: upstream.url, headers: { "x-key": SECRET }, allow_private: true };
    const guard = await makeGuardWithRules(kit, "http", { settings });
    await downgrade(kit);
    if (lost) {
      await kit.db.run("UPDATE registries SET auth = $1", `{"type":"api_key","api_key":"${lost}"}`);
    }
    return { registry, guard, keyring: kit.deps.keyring() };
  })();
  try {
    await work({ ...old, ...made }, upstream);
  } finally {
    rmSync(data_dir, { recursive: true });
  }
}

const versions = async (db: Db) =>
  new Set((await listSealedTexts(db)).map(({ text }) => text.slice(0, "sealed:v1".length)));

const apiKey = (kit: Kit, { registry }: Old) =>
  kit.deps.snapshot().registries.get(registry.id)?.upstream.api_key;

describe.each(databaseKinds)("on %s", (database) => {
  test("secrets of version 1 work after the start and are stored as version 2", () =>
    withOld(database, async (old, upstream) => {
      await using kit = await startKit(old);

      expect(await versions(kit.db)).toEqual(new Set(["sealed:v2"]));
      expect(apiKey(kit, old)).toBe(SECRET);
      const body = { payload: { input: "hello" } };
      const authorization = `Bearer ${old.guard.key}`;
      expect((await kit.post("/v1/evaluate", body, { authorization })).status).toBe(200);
      expect(upstream.hits[0]?.headers["x-key"]).toBe(SECRET);
    }));

  test("two nodes that start at the same time upgrade once", () =>
    withOld(database, async (old) => {
      const nodes = await Promise.all([startKit(old), startKit(old)]);

      for (const node of nodes) expect(apiKey(node, old)).toBe(SECRET);
      for (const node of nodes) await node[Symbol.asyncDispose]();
    }));

  test("an upgrade that fails in the middle changes nothing, and the next start completes it", () =>
    withOld(database, async (old) => {
      const db = await openDb(old.database_url);
      // The table of the last column that is upgraded.
      await db.run("ALTER TABLE oauth_flows RENAME TO hidden");

      await expect(startKit(old)).rejects.toThrow();
      await db.run("ALTER TABLE hidden RENAME TO oauth_flows");
      const between = await versions(db);
      await db.close();
      await using kit = await startKit(old);

      expect(between).toEqual(new Set(["sealed:v1"]));
      expect(await versions(kit.db)).toEqual(new Set(["sealed:v2"]));
    }));

  test("secrets rotate on a database of the previous release upgrades and rotates", () =>
    withOld(database, async (old) => {
      const settings = { DATABASE_URL: old.database_url, PORTCULLIS_DATA_DIR: old.data_dir };

      const { code, out } = await runProgram(["secrets", "rotate", "--json"], settings);

      expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, unreadable: 0 });
      await using kit = await startKit(old);
      expect(apiKey(kit, old)).toBe(SECRET);
    }));

  test("a backup of the previous release works in a running node as soon as it is restored", () =>
    withOld(database, async (old) => {
      const dir = mkdtempSync(join(tmpdir(), "portcullis-backup-"));
      const file = join(dir, "saved.jsonl.gz");
      const from = { DATABASE_URL: old.database_url, PORTCULLIS_DATA_DIR: old.data_dir };
      expect((await runProgram(["backup", "-o", file], from)).code).toBe(0);
      const settings = { PORTCULLIS_KEYS: readFileSync(join(old.data_dir, "keys"), "utf8").trim() };
      await using fresh = await freshDatabase(database);
      await using kit = await startKit({ database_url: fresh.url, settings });
      const to = { DATABASE_URL: fresh.url, ...settings };

      const { out } = await runProgram(["restore", "-f", file, "--force", "--json"], to);

      expect(JSON.parse(out)).toMatchObject({ keys: "fit" });
      await kit.make("/v1/gateways", { name: "later" });
      expect(apiKey(kit, old)).toBe(SECRET);
      rmSync(dir, { recursive: true });
    }));
});

test("a secret of version 1 that no key decrypts does not change, and doctor names it", () =>
  withOld(
    "sqlite",
    async (old) => {
      await (await startKit(old))[Symbol.asyncDispose]();
      const settings = { DATABASE_URL: old.database_url, PORTCULLIS_DATA_DIR: old.data_dir };

      const { out } = await runProgram(["doctor"], settings);

      expect(out).toContain(`cannot be decrypted: registries ${old.registry.id}`);
    },
    "sealed:v1:gone:AAAA",
  ));

test("a value of version 1 that is written after the upgrade is rejected", async () => {
  await using kit = await startKit();
  const { id } = await kit.make("/v1/gateways", { name: "g" });
  const auth = { type: "api_key", api_key: SECRET };
  const body = { name: "r", provider: "openai", auth };
  const registry = await kit.make(`/v1/gateways/${id}/registries`, body);
  const v1 = (plain: string) => sealV1(kit.deps.keyring(), plain);

  const stored = JSON.stringify({ ...auth, api_key: v1(SECRET) });
  await kit.db.run("UPDATE registries SET auth = $1", stored);
  await kit.make("/v1/gateways", { name: "later" });
  const session = JSON.stringify({ hash: hashSecret(OWNER_TOKEN), ends: Date.now() + 60_000 });
  const reply = await fetch(`${kit.url}/v1/whoami`, {
    headers: { cookie: `portcullis_session=${v1(session)}` },
  });

  expect(kit.deps.snapshot().registries.get(registry.id)?.problem).toContain("decrypted");
  expect(reply.status).toBe(401);
});
