/** The revision of the configuration: bumped with every change, watched by every node. */
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

/** Sets the revision to the value of an SQL expression, and gives this change an id of its own. */
export async function setRevision(db: Db, expression: string): Promise<void> {
  await db.run(
    `UPDATE config_revision SET revision = ${expression}, change_id = $1 WHERE id = 1`,
    newId(),
  );
}

/** How many writes of the Store there were, on all nodes together. */
export async function storeRevision(db: Db): Promise<number> {
  const row = await db.one<{ revision: number }>(
    "SELECT store_revision AS revision FROM config_revision",
  );
  return Number(row?.revision ?? 0);
}

/** Queues up behind changes of configuration without being one: no node reads it again. */
export async function takeTurn<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  return await inTurn(db, async (tx) => {
    if (tx.dialect === "postgres") await tx.many("SELECT id FROM config_revision FOR UPDATE");
    return await work(tx);
  });
}

/** A turn that may change what principals have, and is counted as one. */
export async function changeStore<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  return await inTurn(db, async (tx) => {
    await tx.run("UPDATE config_revision SET store_revision = store_revision + 1 WHERE id = 1");
    return await work(tx);
  });
}

/**
 * A change of configuration, all or nothing. The revision row is taken first, so changes queue up
 * behind each other and cannot deadlock; other nodes hear of one exactly when it commits.
 */
export async function changeConfig<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  return await inTurn(db, async (tx) => {
    await setRevision(tx, "revision + 1");
    if (tx.dialect === "postgres") await tx.many(`SELECT pg_notify('${CONFIG_CHANNEL}', '')`);
    return await work(tx);
  });
}

/** A node that stands still in its turn, or is gone without a word, must not keep all others waiting. */
const inTurn = <T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    if (tx.dialect === "postgres") {
      await tx.many("SELECT set_config('idle_in_transaction_session_timeout', '5s', true)");
    }
    return await work(tx);
  });
