/** The pseudonyms table: what a placeholder of a session stands for, sealed. */
import type { Db, Value } from "./db.ts";
import { dropInSteps } from "./drop-in-steps.ts";

export interface PseudonymRow {
  id: string;
  collector_id: string;
  session_hash: string;
  pseudonym: string;
  original: string;
  expires_at: string;
}

export type SealedPseudonym = Pick<PseudonymRow, "id" | "pseudonym" | "original">;

/** The same text of a session has one pseudonym, however often it is masked. */
export async function keepPseudonyms(db: Db, rows: readonly PseudonymRow[]): Promise<void> {
  // In one order everywhere, so that two evaluations of a session cannot wait for each other.
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

export const dropPseudonyms = (db: Db, now: Date): Promise<number> =>
  dropInSteps(db, "pseudonyms", "expires_at <= $1", now.toISOString());
