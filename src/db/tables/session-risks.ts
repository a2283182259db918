/** The session_risks table: the risk that the turns of a session have accumulated. */
import type { Db } from "../db.ts";
import { deleteInBatches } from "../delete-in-batches.ts";

export interface SessionRiskRow {
  /** Keyed hash of the session. */
  id: string;
  collector_id: string;
  /** 0 to 1, as of `updated_at`. */
  risk: number;
  turns: number;
  /** Identifies the last turn. */
  turn_hash: string;
  updated_at: string;
  expires_at: string;
}

/** Returns the row and locks it until the end of the transaction. */
export const lockSessionRisk = async (tx: Db, id: string): Promise<SessionRiskRow | undefined> => {
  const lock = tx.dialect === "postgres" ? " FOR UPDATE" : "";
  const [row] = await tx.many<SessionRiskRow>(
    `SELECT id, collector_id, risk, turns, turn_hash, updated_at, expires_at
     FROM session_risks WHERE id = $1${lock}`,
    id,
  );
  return row;
};

export async function storeSessionRisk(tx: Db, row: SessionRiskRow): Promise<void> {
  const { id, collector_id, risk, turns, turn_hash, updated_at, expires_at } = row;
  await tx.run(
    `INSERT INTO session_risks (id, collector_id, risk, turns, turn_hash, updated_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (id) DO UPDATE SET risk = excluded.risk, turns = excluded.turns,
       turn_hash = excluded.turn_hash, updated_at = excluded.updated_at, expires_at = excluded.expires_at`,
    ...[id, collector_id, risk, turns, turn_hash, updated_at, expires_at],
  );
}

export const deleteExpiredSessionRisks = (db: Db, now: Date): Promise<number> =>
  deleteInBatches(db, "session_risks", "expires_at <= $1", now.toISOString());
