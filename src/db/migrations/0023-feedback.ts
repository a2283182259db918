/** Marks of findings, keyed hashes of the matched texts, and the texts that policies do not report. */
import type { Migration } from "./migration.ts";

export const feedback: Migration = {
  id: "0023-feedback",
  sql: `
    ALTER TABLE evaluation_events ADD COLUMN feedback TEXT NOT NULL DEFAULT '[]';
    -- Fingerprints of the matches of each finding.
    ALTER TABLE evaluation_events ADD COLUMN fingerprints TEXT;
    CREATE INDEX evaluation_events_by_feedback ON evaluation_events (id) WHERE feedback <> '[]';
    CREATE TABLE exemptions (
      id          TEXT PRIMARY KEY,
      policy_id   TEXT NOT NULL REFERENCES policies (id) ON DELETE CASCADE,
      detector_id TEXT NOT NULL REFERENCES detectors (id) ON DELETE CASCADE,
      fingerprint TEXT NOT NULL,
      label       TEXT NOT NULL,
      -- The event that was marked. Events are deleted earlier.
      event_id    TEXT NOT NULL,
      actor       TEXT NOT NULL,
      created_at  TEXT NOT NULL,
      UNIQUE (policy_id, detector_id, fingerprint)
    );
    CREATE INDEX exemptions_by_detector ON exemptions (detector_id);
  `,
};
