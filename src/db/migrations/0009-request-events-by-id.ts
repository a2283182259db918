/** Removes the time from indexes, because ids are ordered by time too. */
import type { Migration } from "./migration.ts";

export const requestEventsById: Migration = {
  id: "0009-request-events-by-id",
  sql: `
    DROP INDEX request_events_by_time;
    DROP INDEX request_events_by_consumer;
    CREATE INDEX request_events_by_gateway ON request_events (gateway_id, id);
    CREATE INDEX request_events_by_consumer ON request_events (consumer_id, id);
  `,
};
