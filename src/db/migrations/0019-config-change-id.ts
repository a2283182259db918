/** Gives every change of the configuration a random id, because a failover can reuse a revision number. */
import type { Migration } from "./migration.ts";

export const configChangeId: Migration = {
  id: "0019-config-change-id",
  sql: `
    ALTER TABLE config_revision ADD COLUMN change_id TEXT NOT NULL DEFAULT '';
  `,
};
