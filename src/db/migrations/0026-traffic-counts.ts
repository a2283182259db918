/** Counts of requests and evaluations per minute and per hour, so that charts do not read the events. */
import type { Migration } from "./migration.ts";

/** `step` is the length of an interval in seconds, `start` its first second in Unix time. No foreign keys, as for events. */
const INTERVAL = `
      gateway_id TEXT NOT NULL,
      step       INTEGER NOT NULL,
      start      BIGINT NOT NULL`;

export const trafficCounts: Migration = {
  id: "0026-traffic-counts",
  sql: `
    CREATE TABLE request_counts (${INTERVAL},
      consumer_id   TEXT NOT NULL,
      registry_id   TEXT NOT NULL,
      model         TEXT NOT NULL,
      status        INTEGER NOT NULL,
      error_code    TEXT NOT NULL,
      requests      BIGINT NOT NULL,
      input_tokens  BIGINT NOT NULL,
      output_tokens BIGINT NOT NULL,
      PRIMARY KEY (gateway_id, step, start, consumer_id, registry_id, model, status, error_code)
    );
    CREATE INDEX request_counts_by_age ON request_counts (step, start);
    CREATE TABLE latency_counts (${INTERVAL},
      registry_id TEXT NOT NULL,
      bucket      INTEGER NOT NULL,
      requests    BIGINT NOT NULL,
      PRIMARY KEY (gateway_id, step, start, registry_id, bucket)
    );
    CREATE INDEX latency_counts_by_age ON latency_counts (step, start);
    CREATE TABLE evaluation_counts (${INTERVAL},
      collector_id TEXT NOT NULL,
      direction    TEXT NOT NULL,
      status       TEXT NOT NULL,
      evaluations  BIGINT NOT NULL,
      PRIMARY KEY (gateway_id, step, start, collector_id, direction, status)
    );
    CREATE INDEX evaluation_counts_by_age ON evaluation_counts (step, start);
    CREATE TABLE finding_counts (${INTERVAL},
      source     TEXT NOT NULL,
      type       TEXT NOT NULL,
      findings   BIGINT NOT NULL,
      PRIMARY KEY (gateway_id, step, start, source, type)
    );
    CREATE INDEX finding_counts_by_age ON finding_counts (step, start);
  `,
};
