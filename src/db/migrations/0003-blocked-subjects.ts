/** Subjects that a rate limit with the action `block` rejects (spec 8.5). */
import type { Migration } from "./migration.ts";

export const blockedSubjects: Migration = {
  id: "0003-blocked-subjects",
  sql: `
    CREATE TABLE blocked_subjects (
      id         TEXT PRIMARY KEY,
      gateway_id TEXT NOT NULL REFERENCES gateways (id) ON DELETE CASCADE,
      type       TEXT NOT NULL,
      subject    TEXT NOT NULL,
      -- A block without an expiry has one in the year 9999.
      ends_at    TEXT NOT NULL,
      created_at TEXT NOT NULL,
      UNIQUE (gateway_id, type, subject)
    );
  `,
};
