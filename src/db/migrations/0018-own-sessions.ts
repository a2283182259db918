/** Excludes generated session ids from the index: each is the id of its only event. */
import type { Migration } from "./migration.ts";

export const ownSessions: Migration = {
  id: "0018-own-sessions",
  sql: `
    DROP INDEX evaluation_events_by_session;
    CREATE INDEX evaluation_events_by_session ON evaluation_events (session_id, id)
      WHERE session_id <> id;
  `,
};
