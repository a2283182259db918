/** Ends pending approvals of 0.1.0, which stored no content for approvers: their fingerprints match no request. */
import type { Migration } from "./migration.ts";

export const expiredApprovals: Migration = {
  id: "0039-expired-approvals",
  sql: `
    UPDATE approvals SET status = 'expired'
    WHERE status = 'pending' AND id NOT IN (SELECT id FROM approval_contents);
  `,
};
