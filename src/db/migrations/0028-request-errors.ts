/** Why a request failed: the gateway's message, and an excerpt of the upstream's error response. */
import type { Migration } from "./migration.ts";

export const requestErrors: Migration = {
  id: "0028-request-errors",
  sql: `
    ALTER TABLE request_events ADD COLUMN error_message TEXT;
    ALTER TABLE request_events ADD COLUMN upstream_error TEXT;
  `,
};
