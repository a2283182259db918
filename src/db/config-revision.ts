/** The configuration revision: incremented by every change and watched by every node. */
import { newId } from "../lib/ids.ts";
import type { Db } from "./db.ts";

export const CONFIG_CHANNEL = "portcullis_config";

export async function configRevision(db: Db): Promise<number> {
  return (await configState(db)).revision;
}

export interface ConfigState {
  revision: number;
  /** Differs between any two states. The revision may not: a failover that loses a commit reuses its number. */
  state: string;
}

export async function configState(db: Db): Promise<ConfigState> {
  const row = await db.one<{ revision: number; change_id: string }>(
    "SELECT revision, change_id FROM config_revision",
  );
  const revision = Number(row?.revision ?? 0);
  return { revision, state: `${revision} ${row?.change_id ?? ""}` };
}

/** Sets the revision to the value of an SQL expression, with a new change id. */
export async function setRevision(db: Db, expression: string): Promise<void> {
  await db.run(
    `UPDATE config_revision SET revision = ${expression}, change_id = $1 WHERE id = 1`,
    newId(),
  );
}

/** Returns the number of Store writes on all nodes. */
export async function storeRevision(db: Db): Promise<number> {
  const row = await db.one<{ revision: number }>(
    "SELECT store_revision AS revision FROM config_revision",
  );
  return Number(row?.revision ?? 0);
}

/** Returns a value that changes with every configuration change and every Store write, on any node. */
export async function changeState(db: Db): Promise<string> {
  const row = await db.one<{ change_id: string; store_revision: number }>(
    "SELECT change_id, store_revision FROM config_revision",
  );
  return `${row?.change_id ?? ""} ${row?.store_revision ?? 0}`;
}

/** Runs a task serialized with configuration changes, without a new revision. */
export async function runExclusive<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  return await beginSerialized(db, async (tx) => {
    if (tx.dialect === "postgres") await tx.many("SELECT id FROM config_revision FOR UPDATE");
    return await work(tx);
  });
}

/** Runs a Store write, serialized with configuration changes, and increments the Store revision. */
export async function changeStore<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  return await beginSerialized(db, async (tx) => {
    await tx.run("UPDATE config_revision SET store_revision = store_revision + 1 WHERE id = 1");
    return await work(tx);
  });
}

/**
 * Runs a configuration change in a transaction. It locks the revision row first, so changes are serialized and cannot
 * deadlock. Other nodes are notified when it commits.
 */
export async function changeConfig<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  return await beginSerialized(db, async (tx) => {
    await setRevision(tx, "revision + 1");
    if (tx.dialect === "postgres") await tx.many(`SELECT pg_notify('${CONFIG_CHANNEL}', '')`);
    return await work(tx);
  });
}

/** Starts a transaction with an idle timeout, so that a frozen node does not block the others. */
const beginSerialized = <T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    if (tx.dialect === "postgres") {
      await tx.many("SELECT set_config('idle_in_transaction_session_timeout', '5s', true)");
    }
    return await work(tx);
  });
