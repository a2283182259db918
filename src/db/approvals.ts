/** The approvals table. */
import type { Approval } from "../contract/approvals.ts";
import type { Db } from "./db.ts";
import { table } from "./table.ts";

export interface ApprovalRow extends Approval {
  fingerprint: string;
}

export const approvalTable = table<ApprovalRow>({
  name: "approvals",
  columns: {
    id: "text",
    collector_id: "text",
    policy_id: "text",
    policy_version: "number",
    asked_by: "text",
    fingerprint: "text",
    consumer_id: "text",
    session_id: "text",
    application: "text",
    tool: "text",
    event_id: "text",
    status: "text",
    note: "text",
    decided_by: "text",
    decided_at: "text",
    expires_at: "text",
    created_at: "text",
  },
  search: ["asked_by", "consumer_id", "tool"],
  sort: ["-created_at"],
});

/** What nobody decided in time. */
export async function expireApprovals(db: Db, now: Date): Promise<void> {
  await db.run(
    "UPDATE approvals SET status = 'expired' WHERE status = 'pending' AND expires_at <= $1",
    now.toISOString(),
  );
}

/** They tell who asked for what, and stay no longer than the events that say the same. */
export async function dropApprovals(db: Db, collector_id: string, before: Date): Promise<void> {
  await db.run(
    "DELETE FROM approvals WHERE collector_id = $1 AND created_at < $2",
    collector_id,
    before.toISOString(),
  );
}

export async function eraseApprovals(db: Db, consumer_id: string): Promise<void> {
  await db.run("DELETE FROM approvals WHERE consumer_id = $1", consumer_id);
}
