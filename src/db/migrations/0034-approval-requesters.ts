/** The administrator's token that requested an approval: its owner must not decide it. */
import type { Migration } from "./migration.ts";

export const approvalRequesters: Migration = {
  id: "0034-approval-requesters",
  sql: "ALTER TABLE approvals ADD COLUMN requested_by TEXT;",
};
