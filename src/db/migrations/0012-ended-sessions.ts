/** Sessions that were signed out, until their cookies expire. */
import type { Migration } from "./migration.ts";

export const endedSessions: Migration = {
  id: "0012-ended-sessions",
  sql: `
    CREATE TABLE ended_sessions (
      id         TEXT PRIMARY KEY,
      kind       TEXT NOT NULL,
      expires_at TEXT NOT NULL
    );
    CREATE INDEX ended_sessions_by_expires_at ON ended_sessions (expires_at);
  `,
};
