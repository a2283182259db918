/** Expiry of the owners of stored responses, which upstreams delete after 30 days. */
import type { Migration } from "./migration.ts";

export const ownerExpiry: Migration = {
  id: "0027-owner-expiry",
  sql: `
    ALTER TABLE owned_files ADD COLUMN expires_at TEXT;
    CREATE INDEX owned_files_by_expiry ON owned_files (expires_at) WHERE expires_at IS NOT NULL;
  `,
};
