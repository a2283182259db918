/** Creates the table of passages that policies allow. */
import type { Migration } from "./migration.ts";

export const policyExceptions: Migration = {
  id: "0041-policy-exceptions",
  sql: `
    CREATE TABLE policy_exceptions (
      id             TEXT PRIMARY KEY,
      policy_id      TEXT NOT NULL REFERENCES policies (id) ON DELETE CASCADE,
      -- NULL: every learned detector.
      detector_id    TEXT REFERENCES detectors (id) ON DELETE CASCADE,
      passage_sha256 TEXT NOT NULL,
      reason         TEXT NOT NULL,
      created_by     TEXT NOT NULL,
      expires_at     TEXT,
      version        INTEGER NOT NULL,
      created_at     TEXT NOT NULL,
      updated_at     TEXT NOT NULL
    );
    CREATE INDEX policy_exceptions_by_policy ON policy_exceptions (policy_id, created_at);
    CREATE INDEX policy_exceptions_by_detector ON policy_exceptions (detector_id);
  `,
};
