/** Owners of uploaded files, for consumers with `files_scope: own`. */
import type { Migration } from "./migration.ts";

export const ownedFiles: Migration = {
  id: "0004-owned-files",
  sql: `
    CREATE TABLE owned_files (
      registry_id TEXT NOT NULL REFERENCES registries (id) ON DELETE CASCADE,
      -- The upstream's id: unique within its registry.
      file_id     TEXT NOT NULL,
      consumer_id TEXT NOT NULL REFERENCES consumers (id) ON DELETE CASCADE,
      created_at  TEXT NOT NULL,
      PRIMARY KEY (registry_id, file_id)
    );
    CREATE INDEX owned_files_by_consumer ON owned_files (consumer_id);
  `,
};
