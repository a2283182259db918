/** Excludes sessions from the index that end with the trace of their events, which are found by the trace. */
import type { Migration } from "./migration.ts";

export const traceSessions: Migration = {
  id: "0035-trace-sessions",
  sql: `
    DROP INDEX evaluation_events_by_session;
    -- A trace that started here has 32 digits. Both databases have SUBSTR and LENGTH.
    CREATE INDEX evaluation_events_by_session ON evaluation_events (session_id, id)
      WHERE session_id <> id AND SUBSTR(session_id, LENGTH(session_id) - 31) <> trace_id;
  `,
};
