/** Counts per day, and counts of requests by outcome alone, so that charts of busy gateways read few rows. */
import type { Migration } from "./migration.ts";

const perDay = (table: string, labels: string, sums: readonly string[]): string => `
    INSERT INTO ${table} (gateway_id, step, start, ${labels}, ${sums.join(", ")})
    SELECT gateway_id, 86400, start / 86400 * 86400, ${labels}, ${sums.map((sum) => `SUM(${sum})`).join(", ")}
    FROM ${table} WHERE step = 3600
    GROUP BY gateway_id, start / 86400 * 86400, ${labels};`;

export const countRollups: Migration = {
  id: "0031-count-rollups",
  sql: `
    CREATE TABLE outcome_counts (
      gateway_id    TEXT NOT NULL,
      step          INTEGER NOT NULL,
      start         BIGINT NOT NULL,
      status        INTEGER NOT NULL,
      error_code    TEXT NOT NULL,
      requests      BIGINT NOT NULL,
      input_tokens  BIGINT NOT NULL,
      output_tokens BIGINT NOT NULL,
      PRIMARY KEY (gateway_id, step, start, status, error_code)
    );
    CREATE INDEX outcome_counts_by_age ON outcome_counts (step, start);
    ${perDay("request_counts", "consumer_id, registry_id, model, status, error_code", ["requests", "input_tokens", "output_tokens"])}
    ${perDay("latency_counts", "registry_id, bucket", ["requests"])}
    ${perDay("evaluation_counts", "collector_id, direction, status", ["evaluations"])}
    ${perDay("finding_counts", "source, type", ["findings"])}
    INSERT INTO outcome_counts
    SELECT gateway_id, step, start, status, error_code, SUM(requests), SUM(input_tokens), SUM(output_tokens)
    FROM request_counts GROUP BY gateway_id, step, start, status, error_code;
  `,
};
