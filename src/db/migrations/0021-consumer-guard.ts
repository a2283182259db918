/** The guard of a consumer; null: the guard of its gateway. */
import type { Migration } from "./migration.ts";

export const consumerGuard: Migration = {
  id: "0021-consumer-guard",
  sql: `
    ALTER TABLE consumers ADD COLUMN guard TEXT;
  `,
};
