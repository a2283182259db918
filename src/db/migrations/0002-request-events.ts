/** Data-plane requests, one row each, without bodies. */
import type { Migration } from "./migration.ts";

export const requestEvents: Migration = {
  id: "0002-request-events",
  sql: `
    CREATE TABLE request_events (
      -- Begins with the time in milliseconds (UUID version 7), so it orders rows by age as well.
      id             TEXT PRIMARY KEY,
      time           TEXT NOT NULL,
      trace_id       TEXT NOT NULL,
      -- No foreign keys: the record outlives its resources, and writing it must not wait for a lock.
      gateway_id     TEXT NOT NULL,
      consumer_id    TEXT NOT NULL,
      key_id         TEXT NOT NULL,
      endpoint       TEXT NOT NULL,
      method         TEXT NOT NULL,
      registry_id    TEXT,
      provider       TEXT,
      attempts       TEXT NOT NULL,
      model_asked    TEXT,
      model_sent     TEXT,
      status         INTEGER NOT NULL,
      error_code     TEXT,
      request_bytes  BIGINT NOT NULL,
      response_bytes BIGINT NOT NULL,
      ttfb_ms        DOUBLE PRECISION,
      total_ms       DOUBLE PRECISION NOT NULL,
      input_tokens   INTEGER,
      output_tokens  INTEGER
    );
    CREATE INDEX request_events_by_time ON request_events (gateway_id, time, id);
    CREATE INDEX request_events_by_consumer ON request_events (consumer_id, time, id);
    CREATE INDEX request_events_by_trace ON request_events (trace_id);
  `,
};
