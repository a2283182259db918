/** Counts Store writes, so that nodes can detect changes of installs. */
import type { Migration } from "./migration.ts";

export const storeRevision: Migration = {
  id: "0008-store-revision",
  sql: `
    ALTER TABLE config_revision ADD COLUMN store_revision INTEGER NOT NULL DEFAULT 0;
  `,
};
