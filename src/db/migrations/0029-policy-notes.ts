/** Notes of administrators about the versions of policies. */
import type { Migration } from "./migration.ts";

export const policyNotes: Migration = {
  id: "0029-policy-notes",
  sql: `
    ALTER TABLE policy_versions ADD COLUMN note TEXT NOT NULL DEFAULT '';
  `,
};
