/** Checks the database: schema, clock, encryption keys, stored secrets, administrator tokens. */
import { keyState } from "../../admin/key-state.ts";
import { databaseClock, isReadOnly } from "../../db/database-state.ts";
import type { Db } from "../../db/db.ts";
import { schemaVersion } from "../../db/migrate.ts";
import { migrations } from "../../db/migrations/all.ts";
import { openReadOnly } from "../../db/open-read-only.ts";
import { schemaOf } from "../../db/schema-tables.ts";
import { listSealedTexts } from "../../db/sealed-columns.ts";
import { adminTokenTable } from "../../db/tables/admin-tokens.ts";
import { consumerTable } from "../../db/tables/consumers.ts";
import { consumerKeyTable } from "../../db/tables/keys.ts";
import { sealedWith, unseal } from "../../lib/crypto/seal.ts";
import { listenAddress, type Settings } from "../../settings.ts";
import { describeLostDatabase } from "../check-key-and-database.ts";
import { matchKeyring, readKeyring } from "../match-keyring.ts";
import { adviseOnDatabase, type Check, type CheckContext, describeReason } from "./check.ts";

export async function checkDatabase(context: CheckContext): Promise<Check[]> {
  const { settings } = context;
  let db: Db;
  let schema: string | undefined;
  try {
    db = await openReadOnly(settings.DATABASE_URL);
    schema = await schemaOf(db);
  } catch (thrown) {
    const missing = thrown instanceof Object && "code" in thrown && thrown.code === "not_found";
    if (!missing) return [describeUnreachable(thrown)];
    return [describeMissing(settings, describeReason(thrown))];
  }
  try {
    const schemaResult = checkSchema(settings, schema);
    // Rows of another schema may not be what the checks below expect.
    if (schema !== schemaVersion()) return [schemaResult];
    return [
      (await checkWrites(db)) ?? schemaResult,
      await checkClock(context, db),
      await checkKeys(context, db),
      await checkSecrets(context, db),
      await checkTokens(context, db),
      ...(await checkDemoKey(context, db)),
    ];
  } finally {
    await db.close();
  }
}

function describeMissing(settings: Settings, message: string): Check {
  const name = "database";
  const lost = describeLostDatabase(settings);
  if (lost) return { name, state: "fail", ...lost };
  return { name, state: "warn", message, todo: "portcullis start creates one." };
}

const describeUnreachable = (thrown: unknown): Check => ({
  name: "database",
  state: "fail",
  message: `cannot be opened: ${describeReason(thrown)}`,
  todo: adviseOnDatabase(thrown),
});

function checkSchema(settings: Settings, schema: string | undefined): Check {
  const name = "database";
  if (schema === undefined) return describeMissing(settings, "it contains no installation yet");
  if (schema === schemaVersion()) return { name, state: "ok", message: `schema ${schema}` };
  if (migrations.some(({ id }) => id === schema)) {
    const todo = "Make a backup, then start Portcullis, which migrates it.";
    return { name, state: "warn", message: `schema ${schema} belongs to an older release`, todo };
  }
  const todo = "Install the release that created it, or a newer one.";
  return { name, state: "fail", message: `schema ${schema} belongs to a newer release`, todo };
}

/** Returns a check that fails if Postgres is a standby or read-only; undefined if it accepts writes. */
async function checkWrites(db: Db): Promise<Check | undefined> {
  if (!(await isReadOnly(db))) return undefined;
  return {
    name: "database",
    state: "fail",
    message: "it is read-only: a standby, or default_transaction_read_only is on",
    todo: "Point DATABASE_URL to the primary server, or make this one writable. Queued events are then written.",
  };
}

const MAX_CLOCK_SKEW_S = 5;

async function checkClock({ settings, now }: CheckContext, db: Db): Promise<Check> {
  const name = "clock";
  const theirs = await databaseClock(db, settings.DATABASE_URL);
  const ahead = (theirs - now().getTime()) / 1000;
  // SQLite: the time of the last write, so only a time in the future is a skew.
  const off = db.dialect === "sqlite" ? Math.max(ahead, 0) : Math.abs(ahead);
  if (off <= MAX_CLOCK_SKEW_S) return { name, state: "ok", message: "agrees with the database" };
  const message = `differs by ${Math.round(off)} s from the database`;
  return {
    name,
    state: "warn",
    message,
    todo: "Synchronize both by NTP: keys expire by this clock.",
  };
}

async function checkKeys({ settings }: CheckContext, db: Db): Promise<Check> {
  const name = "encryption keys";
  const fit = await matchKeyring(settings, db);
  if (fit === "missing" || fit === "wrong") {
    const message =
      fit === "missing" ? "there are none" : "they cannot decrypt the secrets in this database";
    const todo =
      "Copy the file `keys` from the node that created the database, or set PORTCULLIS_KEYS.";
    return { name, state: "fail", message, todo };
  }
  const used = new Set((await listSealedTexts(db)).map(({ text }) => sealedWith(text)));
  const unused = [...(readKeyring(settings)?.keys.keys() ?? [])].filter((id) => !used.has(id));
  const rest = unused.length ? `; used at most by backups: ${unused.join(", ")}` : "";
  return { name, state: "ok", message: `match this database${rest}` };
}

async function checkSecrets({ settings }: CheckContext, db: Db): Promise<Check> {
  const name = "stored secrets";
  const keyring = readKeyring(settings);
  const sealed = await listSealedTexts(db);
  const closed = sealed.filter(
    ({ context, text }) => !keyring || unseal(keyring, context, text) === undefined,
  );
  if (closed.length === 0)
    return { name, state: "ok", message: `all ${sealed.length} can be decrypted` };
  const rows = [...new Set(closed.map(({ table, id }) => `${table} ${id}`))];
  return {
    name,
    state: "fail",
    message: `${closed.length} of ${sealed.length} cannot be decrypted: ${rows.slice(0, 5).join(", ")}`,
    todo: "Add the key that encrypted them to the key file again, or enter the secrets again.",
  };
}

const EXPIRES_SOON_MS = 14 * 86_400_000;

async function checkTokens({ now }: CheckContext, db: Db): Promise<Check> {
  const name = "administrator tokens";
  const rows = await adminTokenTable.all(db, { revoked_at: null });
  const working = rows.filter((row) => keyState({ now }, row) === "active");
  if (!working.some(({ role, gateway_ids }) => role === "owner" && gateway_ids === null)) {
    const todo = 'portcullis token create --role owner --name "…"';
    return { name, state: "fail", message: "no owner token is valid", todo };
  }
  const ending = working.filter(
    ({ expires_at }) => expires_at && Date.parse(expires_at) < now().getTime() + EXPIRES_SOON_MS,
  );
  const over = rows.filter((row) => keyState({ now }, row) === "expired");
  const problems = [
    ...over.map((row) => `"${row.name}" has expired`),
    ...ending.map((row) => `"${row.name}" expires ${row.expires_at}`),
  ];
  if (problems.length === 0) return { name, state: "ok", message: `${working.length} valid` };
  const todo = "Create new tokens with portcullis token create, and revoke the old ones.";
  return { name, state: "warn", message: problems.slice(0, 5).join(", "), todo };
}

/** The first run prints this key, so it may be in a log or a shell history. */
async function checkDemoKey({ settings, now }: CheckContext, db: Db): Promise<Check[]> {
  const demo = await consumerTable.find(db, { slug: "demo" });
  if (!demo?.active || !settings.PORTCULLIS_PLANES.includes("gateway")) return [];
  const keys = await consumerKeyTable.all(db, { consumer_id: demo.id, revoked_at: null });
  const address = listenAddress(settings, "gateway");
  const isLocal = /^(127\.|localhost:|\[::1\])/.test(address);
  if (isLocal || !keys.some((row) => keyState({ now }, row) === "active")) return [];
  const message = `the key of the demo consumer is valid, and ${address} is reachable from other machines`;
  const todo = "Revoke it, or delete the demo gateway.";
  return [{ name: "demo key", state: "warn", message, todo }];
}
