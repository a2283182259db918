/** The configuration revision: incremented by every change and watched by every node. */
import { newId } from "../lib/ids.ts";
import type { Db } from "./db.ts";

export const CONFIG_CHANNEL = "portcullis_config";

export async function configRevision(db: Db): Promise<number> {
  return (await configState(db)).revision;
}

export interface ConfigState {
  revision: number;
  /** Differs between any two states of the configuration. The revision may not: a failover that loses a commit reuses its number. */
  config: string;
  /** Differs after the end of a session too. */
  state: string;
}

/** Separates the id of a configuration change from that of the last session that ended since. */
const SEPARATOR = ".";

export async function configState(db: Db): Promise<ConfigState> {
  const row = await db.one<{ revision: number; change_id: string }>(
    "SELECT revision, change_id FROM config_revision",
  );
  const revision = Number(row?.revision ?? 0);
  const change_id = row?.change_id ?? "";
  const [change] = change_id.split(SEPARATOR);
  return { revision, config: `${revision} ${change}`, state: `${revision} ${change_id}` };
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
    await notifyNodes(tx);
    return await work(tx);
  });
}

/** Runs a task that ends a session. Other nodes are notified, and read only the ended sessions again. */
export async function changeSessions<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  return await runExclusive(db, async (tx) => {
    const row = await tx.one<{ change_id: string }>("SELECT change_id FROM config_revision");
    const [change] = (row?.change_id ?? "").split(SEPARATOR);
    const change_id = `${change}${SEPARATOR}${newId()}`;
    await tx.run("UPDATE config_revision SET change_id = $1 WHERE id = 1", change_id);
    await notifyNodes(tx);
    return await work(tx);
  });
}

async function notifyNodes(tx: Db): Promise<void> {
  if (tx.dialect === "postgres") await tx.many(`SELECT pg_notify('${CONFIG_CHANNEL}', '')`);
}

/** Starts a transaction with an idle timeout, so that a frozen node does not block the others. */
const beginSerialized = <T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    if (tx.dialect === "postgres") {
      await tx.many("SELECT set_config('idle_in_transaction_session_timeout', '5s', true)");
    }
    return await work(tx);
  });
