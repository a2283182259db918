/** The ended_sessions table: sessions that were signed out before their cookie expired. */
import type { Db } from "../db.ts";
import { deleteInBatches } from "../delete-in-batches.ts";

export interface EndedSession {
  id: string;
  kind: "console" | "principal";
  /** When the cookie expires by itself, and the row is no longer needed. */
  expires_at: string;
}

/** Records the end of a session; idempotent. */
export async function endSession(db: Db, { id, kind, expires_at }: EndedSession): Promise<void> {
  await db.run(
    `INSERT INTO ended_sessions (id, kind, expires_at) VALUES ($1, $2, $3)
     ON CONFLICT (id) DO NOTHING`,
    ...[id, kind, expires_at],
  );
}

export async function hasSessionEnded(db: Db, id: string): Promise<boolean> {
  return (await db.one("SELECT id FROM ended_sessions WHERE id = $1", id)) !== undefined;
}

/** Returns the ids of ended console sessions, for the snapshot. */
export async function endedConsoleSessions(db: Db): Promise<Set<string>> {
  const rows = await db.many<{ id: string }>(
    "SELECT id FROM ended_sessions WHERE kind = 'console'",
  );
  return new Set(rows.map(({ id }) => id));
}

export const deleteExpiredSessions = (db: Db, now: Date): Promise<number> =>
  deleteInBatches(db, "ended_sessions", "expires_at <= $1", now.toISOString());
