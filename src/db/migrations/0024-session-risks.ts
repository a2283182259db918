/** Risk that the turns of a session have accumulated. */
import type { Migration } from "./migration.ts";

export const sessionRisks: Migration = {
  id: "0024-session-risks",
  sql: `
    CREATE TABLE session_risks (
      -- Keyed hash of the session.
      id           TEXT PRIMARY KEY,
      collector_id TEXT NOT NULL REFERENCES collectors (id) ON DELETE CASCADE,
      -- 0 to 1, as of updated_at.
      risk         DOUBLE PRECISION NOT NULL,
      turns        INTEGER NOT NULL,
      -- The last turn, so that a repeated request counts once.
      turn_hash    TEXT NOT NULL,
      updated_at   TEXT NOT NULL,
      expires_at   TEXT NOT NULL
    );
    CREATE INDEX session_risks_by_expiry ON session_risks (expires_at);
  `,
};
