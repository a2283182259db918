/** Name of the resource in each audit record, and indexes for filters by time and actor. */
import type { Migration } from "./migration.ts";

export const auditNames: Migration = {
  id: "0030-audit-names",
  sql: `
    -- Empty in records of releases before this migration.
    ALTER TABLE audit_log ADD COLUMN name TEXT NOT NULL DEFAULT '';
    CREATE INDEX audit_log_by_time ON audit_log (at, id);
    CREATE INDEX audit_log_by_actor ON audit_log (actor, at, id);
  `,
};
