/** A session that the client did not name is the id of its only event: the index need not hold it. */
import type { Migration } from "./migration.ts";

export const ownSessions: Migration = {
  id: "0018-own-sessions",
  sql: `
    DROP INDEX evaluation_events_by_session;
    CREATE INDEX evaluation_events_by_session ON evaluation_events (session_id, id)
      WHERE session_id <> id;
  `,
};
