/** Rotating the encryption key while the server runs: every secret moves, and no request fails. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { schemaTables } from "../../src/db/schema-tables.ts";
import { listSealedTexts } from "../../src/db/sealed-columns.ts";
import { seal, sealedWith } from "../../src/lib/crypto/seal.ts";
import { type Kit, startKit } from "../kit/kit.ts";
import { runProgram } from "../kit/program.ts";
import { databaseKinds } from "../kit/services.ts";

const SECRET = "sk-planted-upstream-secret";

async function makeRegistry(kit: Kit): Promise<string> {
  const gateway = await kit.make("/v1/gateways", { name: "G", slug: "g" });
  const path = `/v1/gateways/${gateway.id}/registries`;
  const auth = { type: "api_key", api_key: SECRET };
  const made = await kit.post(
    path,
    {
      name: "Own",
      provider: "openai_compatible",
      provider_options: { base_url: "https://llm.example.com/v1", headers: { "X-Team": SECRET } },
      auth,
    },
    { "idempotency-key": "once" },
  );
  const { id } = (await made.json()) as { id: string };
  return `${path}/${id}`;
}

const keyIds = (kit: Kit) =>
  readFileSync(join(kit.data_dir, "keys"), "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(":")[0]);

/** Returns the contents of all tables as text, including columns that rotation does not list. */
async function dumpTables(kit: Kit): Promise<string> {
  const rows = [];
  for (const { name } of await schemaTables())
    rows.push(...(await kit.db.many(`SELECT * FROM ${name}`)));
  return JSON.stringify(rows, (_, value) => (typeof value === "bigint" ? String(value) : value));
}

const rotate = (kit: Kit, settings: Record<string, string> = {}) =>
  runProgram(["secrets", "rotate", "--json"], {
    PORTCULLIS_DATA_DIR: kit.data_dir,
    DATABASE_URL: kit.database_url,
    ...settings,
  });

describe.each(databaseKinds)("on %s", (database) => {
  test("every test detects a secret in a column that rotation does not list", async () => {
    const kit = await startKit({ database });
    await makeRegistry(kit);
    const sealed = seal(kit.deps.keyring(), { purpose: "gateways.name", id: "" }, SECRET);
    await kit.db.run("UPDATE gateways SET name = $1", `"${sealed}"`);

    await expect(kit[Symbol.asyncDispose]()).rejects.toThrow("SEALED_COLUMNS lacks gateways.name.");
  });

  test("every stored secret moves to the new key while requests continue", async () => {
    await using kit = await startKit({ database });
    const registry = await makeRegistry(kit);
    const [old = ""] = keyIds(kit);
    let running = true;
    const statuses = new Set<number>();
    const reading = (async () => {
      while (running) {
        statuses.add((await kit.get(registry)).status);
        statuses.add((await kit.put(registry, { enabled: true })).status);
      }
    })();

    const { code, out } = await rotate(kit);
    running = false;
    await reading;

    const { key, resealed, unreadable } = JSON.parse(out);
    expect({ code, resealed, unreadable }).toEqual({ code: 0, resealed: 4, unreadable: 0 });
    expect(keyIds(kit)).toEqual([key, old]);
    expect(statuses).toEqual(new Set([200]));
    expect(await dumpTables(kit)).not.toContain(`sealed:v2:${old}:`);
    expect((await listSealedTexts(kit.db)).map(({ text }) => sealedWith(text))).toEqual([
      key,
      key,
      key,
      key,
    ]);
    const shown = (await (await kit.get(registry)).json()) as object;
    expect(shown).toMatchObject({ auth: { api_key: "***cret" } });
    const view = [...kit.deps.snapshot().registries.values()][0];
    expect(view).toMatchObject({ problem: undefined, upstream: { api_key: SECRET } });
    expect(await dumpTables(kit)).toContain('"secrets.rotate"');
  });
});

test("the first key of PORTCULLIS_KEYS encrypts", async () => {
  await using kit = await startKit();
  await makeRegistry(kit);
  const lines = readFileSync(join(kit.data_dir, "keys"), "utf8").trim();
  const added = `fresh:${Buffer.alloc(32, 7).toString("base64")}`;

  const { out } = await rotate(kit, { PORTCULLIS_KEYS: `${added},${lines}` });

  expect(JSON.parse(out)).toEqual({ key: "fresh", resealed: 4, unreadable: 0 });
});

test("a secret that no key decrypts is reported and does not change", async () => {
  await using kit = await startKit();
  await makeRegistry(kit);
  const lost = "sealed:v2:gone:AAAA";
  await kit.db.run("UPDATE idempotent_replies SET reply = $1", lost);

  const { code, out } = await rotate(kit);

  expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 1, resealed: 3, unreadable: 1 });
  expect(await kit.db.one("SELECT reply FROM idempotent_replies")).toEqual({ reply: lost });
});
