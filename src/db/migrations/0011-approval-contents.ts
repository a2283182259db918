/** The sealed content of pending approvals for approvers. */
import type { Migration } from "./migration.ts";

export const approvalContents: Migration = {
  id: "0011-approval-contents",
  sql: `
    CREATE TABLE approval_contents (
      id      TEXT PRIMARY KEY REFERENCES approvals (id) ON DELETE CASCADE,
      content TEXT NOT NULL
    );
  `,
};
