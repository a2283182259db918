/** Is the database there, do the keys open its secrets, and do its tokens still let people in? */
import { keyState } from "../../admin/key-state.ts";
import { adminTokenTable } from "../../db/admin-tokens.ts";
import { consumerTable } from "../../db/consumers.ts";
import { databaseClock } from "../../db/database-clock.ts";
import type { Db } from "../../db/db.ts";
import { consumerKeyTable } from "../../db/keys.ts";
import { schemaVersion } from "../../db/migrate.ts";
import { migrations } from "../../db/migrations/all.ts";
import { openReadOnly } from "../../db/open-read-only.ts";
import { schemaOf } from "../../db/schema-tables.ts";
import { listSealedTexts } from "../../db/sealed-columns.ts";
import { sealedWith, unseal } from "../../lib/crypto/seal.ts";
import { listenAddress, type Settings } from "../../settings.ts";
import { describeLostDatabase } from "../check-key-and-database.ts";
import { matchKeyring, readKeyring } from "../match-keyring.ts";
import { adviseOnDatabase, type Check, type CheckContext, describeReason } from "./check.ts";

export async function checkDatabase(patient: CheckContext): Promise<Check[]> {
  const { settings } = patient;
  let db: Db;
  let schema: string | undefined;
  try {
    db = await openReadOnly(settings.DATABASE_URL);
    schema = await schemaOf(db);
  } catch (thrown) {
    const missing = thrown instanceof Object && "code" in thrown && thrown.code === "not_found";
    if (!missing) return [unreachable(thrown)];
    return [newDatabase(settings, describeReason(thrown))];
  }
  try {
    const found = schemaCheck(settings, schema);
    // Rows of another schema may not be what the checks below expect.
    if (schema !== schemaVersion()) return [found];
    return [
      found,
      await checkClock(patient, db),
      await checkKeys(patient, db),
      await checkSecrets(patient, db),
      await checkTokens(patient, db),
      ...(await checkDemoKey(patient, db)),
    ];
  } finally {
    await db.close();
  }
}

function newDatabase(settings: Settings, message: string): Check {
  const name = "database";
  const lost = describeLostDatabase(settings);
  if (lost) return { name, state: "fail", ...lost };
  return { name, state: "warn", message, todo: "portcullis start makes one." };
}

const unreachable = (thrown: unknown): Check => ({
  name: "database",
  state: "fail",
  message: `cannot be opened: ${describeReason(thrown)}`,
  todo: adviseOnDatabase(thrown),
});

function schemaCheck(settings: Settings, schema: string | undefined): Check {
  const name = "database";
  if (schema === undefined) return newDatabase(settings, "there is no installation in it yet");
  if (schema === schemaVersion()) return { name, state: "ok", message: `schema ${schema}` };
  if (migrations.some(({ id }) => id === schema)) {
    const todo = "Make a backup, then start: that brings it up to date.";
    return { name, state: "warn", message: `schema ${schema} is of an older release`, todo };
  }
  const todo = "Install the release that made it, or a newer one.";
  return { name, state: "fail", message: `schema ${schema} is of a newer release`, todo };
}

const CLOCK_OFF_S = 5;

async function checkClock({ settings, now }: CheckContext, db: Db): Promise<Check> {
  const name = "clock";
  const theirs = await databaseClock(db, settings.DATABASE_URL);
  const ahead = (theirs - now().getTime()) / 1000;
  // A file was written at some time in the past; only a time to come says anything.
  const off = db.dialect === "sqlite" ? Math.max(ahead, 0) : Math.abs(ahead);
  if (off <= CLOCK_OFF_S) return { name, state: "ok", message: "agrees with the database" };
  const message = `${Math.round(off)} s away from the database's`;
  return { name, state: "warn", message, todo: "Set both by NTP: keys expire by this clock." };
}

async function checkKeys({ settings }: CheckContext, db: Db): Promise<Check> {
  const name = "encryption keys";
  const fit = await matchKeyring(settings, db);
  if (fit === "missing" || fit === "wrong") {
    const message = fit === "missing" ? "there are none" : "they do not open this database";
    const todo =
      "Copy the file `keys` from the node that made the database, or set PORTCULLIS_KEYS.";
    return { name, state: "fail", message, todo };
  }
  const used = new Set((await listSealedTexts(db)).map(({ text }) => sealedWith(text)));
  const unused = [...(readKeyring(settings)?.keys.keys() ?? [])].filter((id) => !used.has(id));
  const rest = unused.length ? `; no longer used, but maybe by backups: ${unused.join(", ")}` : "";
  return { name, state: "ok", message: `fit this database${rest}` };
}

async function checkSecrets({ settings }: CheckContext, db: Db): Promise<Check> {
  const name = "stored secrets";
  const keyring = readKeyring(settings);
  const sealed = await listSealedTexts(db);
  const closed = sealed.filter(
    ({ context, text }) => !keyring || unseal(keyring, context, text) === undefined,
  );
  if (closed.length === 0) return { name, state: "ok", message: `all ${sealed.length} open` };
  const places = [...new Set(closed.map(({ table, id }) => `${table} ${id}`))];
  return {
    name,
    state: "fail",
    message: `${closed.length} of ${sealed.length} do not open: ${places.slice(0, 5).join(", ")}`,
    todo: "Put the key that sealed them back into the key file, or enter the secrets again.",
  };
}

const SOON_MS = 14 * 86_400_000;

async function checkTokens({ now }: CheckContext, db: Db): Promise<Check> {
  const name = "administrator tokens";
  const rows = await adminTokenTable.all(db, { revoked_at: null });
  const working = rows.filter((row) => keyState({ now }, row) === "active");
  if (!working.some(({ role, gateway_ids }) => role === "owner" && gateway_ids === null)) {
    const todo = 'portcullis token create --role owner --name "…"';
    return { name, state: "fail", message: "no owner token works", todo };
  }
  const ending = working.filter(
    ({ expires_at }) => expires_at && Date.parse(expires_at) < now().getTime() + SOON_MS,
  );
  const over = rows.filter((row) => keyState({ now }, row) === "expired");
  const told = [
    ...over.map((row) => `"${row.name}" has expired`),
    ...ending.map((row) => `"${row.name}" ends ${row.expires_at}`),
  ];
  if (told.length === 0) return { name, state: "ok", message: `${working.length} work` };
  const todo = "Make new ones with portcullis token create, and revoke the old.";
  return { name, state: "warn", message: told.slice(0, 5).join(", "), todo };
}

/** The first run prints this key, so it may stand in a log or in somebody's shell history. */
async function checkDemoKey({ settings, now }: CheckContext, db: Db): Promise<Check[]> {
  const demo = await consumerTable.find(db, { slug: "demo" });
  if (!demo?.active || !settings.PORTCULLIS_PLANES.includes("gateway")) return [];
  const keys = await consumerKeyTable.all(db, { consumer_id: demo.id, revoked_at: null });
  const address = listenAddress(settings, "gateway");
  const isLocal = /^(127\.|localhost:|\[::1\])/.test(address);
  if (isLocal || !keys.some((row) => keyState({ now }, row) === "active")) return [];
  const message = `the key of the demo consumer works, and others can reach ${address}`;
  const todo = "Revoke it, or delete the demo gateway.";
  return [{ name: "demo key", state: "warn", message, todo }];
}
