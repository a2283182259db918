/** The pseudonyms table: the sealed original value of each placeholder of a session. */
import type { Db, Value } from "../db.ts";
import { deleteInBatches } from "../delete-in-batches.ts";

export interface PseudonymRow {
  id: string;
  collector_id: string;
  session_hash: string;
  pseudonym: string;
  original: string;
  expires_at: string;
}

export type SealedPseudonym = Pick<PseudonymRow, "id" | "pseudonym" | "original">;

/** Stores pseudonyms; the same value in a session has one pseudonym. */
export async function storePseudonyms(db: Db, rows: readonly PseudonymRow[]): Promise<void> {
  // In a fixed order, so that two evaluations of a session cannot deadlock.
  const ordered = [...rows].sort((a, b) => (a.pseudonym < b.pseudonym ? -1 : 1));
  for (const { id, collector_id, session_hash, pseudonym, original, expires_at } of ordered) {
    await db.run(
      `INSERT INTO pseudonyms (id, collector_id, session_hash, pseudonym, original, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (session_hash, pseudonym) DO UPDATE SET expires_at = excluded.expires_at`,
      ...[id, collector_id, session_hash, pseudonym, original, expires_at],
    );
  }
}

export async function findPseudonyms(
  db: Db,
  session_hash: string,
  pseudonyms: readonly string[],
): Promise<SealedPseudonym[]> {
  if (pseudonyms.length === 0) return [];
  const values: Value[] = [session_hash];
  const list = pseudonyms.map((pseudonym) => `$${values.push(pseudonym)}`).join(", ");
  return await db.many(
    `SELECT id, pseudonym, original FROM pseudonyms WHERE session_hash = $1 AND pseudonym IN (${list})`,
    ...values,
  );
}

export const deleteExpiredPseudonyms = (db: Db, now: Date): Promise<number> =>
  deleteInBatches(db, "pseudonyms", "expires_at <= $1", now.toISOString());
