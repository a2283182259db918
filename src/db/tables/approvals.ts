/** The approvals table. */
import type { Approval } from "../../contract/guard/approvals.ts";
import type { SealContext } from "../../lib/crypto/seal.ts";
import type { Db } from "../db.ts";
import { sealContextOf } from "../sealed-columns.ts";
import { table } from "../table.ts";

export interface ApprovalRow extends Approval {
  fingerprint: string;
  /** Id of the administrator's token that sent the request or created its key; only such requests are covered. null: none. */
  requested_by: string | null;
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
    requested_by: "text",
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

/** The sealed content of pending approvals. A separate table keeps lists of approvals small. */
export const approvalContentTable = table<{ id: string; content: string }>({
  name: "approval_contents",
  columns: { id: "text", content: "text" },
  search: [],
  sort: ["id"],
});

/** The context that the content of an approval is sealed in. */
export const sealedContent = (id: string): SealContext =>
  sealContextOf("approval_contents.content", id);

export const findApprovalStatuses = (
  db: Db,
  ids: readonly string[],
): Promise<Pick<ApprovalRow, "id" | "status">[]> =>
  db.many(
    `SELECT id, status FROM approvals WHERE id IN (${ids.map((_, at) => `$${at + 1}`).join(", ")})`,
    ...ids,
  );

/** Marks pending approvals as expired, and deletes their content. */
export async function expireApprovals(db: Db, now: Date): Promise<void> {
  await db.run(
    "UPDATE approvals SET status = 'expired' WHERE status = 'pending' AND expires_at <= $1",
    now.toISOString(),
  );
  await db.run(
    `DELETE FROM approval_contents
     WHERE id IN (SELECT c.id FROM approval_contents c JOIN approvals a ON a.id = c.id
                  WHERE a.status <> 'pending')`,
  );
}

/** Ends the approvals of a subject at one application, decided or not. */
export async function endApprovalsAt(
  db: Db,
  now: Date,
  { consumer_id, application }: { consumer_id: string; application: string },
): Promise<void> {
  await db.run(
    `UPDATE approvals SET expires_at = $1
     WHERE consumer_id = $2 AND application = $3 AND expires_at > $1`,
    now.toISOString(),
    consumer_id,
    application,
  );
  await expireApprovals(db, now);
}

/** Deletes decided and expired approvals together with the events they belong to. */
export async function deleteExpiredApprovals(
  db: Db,
  collector_id: string,
  before: Date,
): Promise<void> {
  await db.run(
    "DELETE FROM approvals WHERE collector_id = $1 AND created_at < $2",
    collector_id,
    before.toISOString(),
  );
}

export async function eraseApprovals(db: Db, consumer_id: string): Promise<void> {
  await db.run("DELETE FROM approvals WHERE consumer_id = $1", consumer_id);
}
