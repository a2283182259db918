/** The store_requests table: requests that approvers decide, and their outcome. */
import type { StoreRequest } from "../../contract/store/requests.ts";
import type { Db } from "../db.ts";
import { table } from "../table.ts";

export interface StoreRequestRow extends StoreRequest {
  /**
   * The administrator's token that filed or changed it, or created the personal token; null: none, or one of an owner of
   * all gateways.
   */
  requested_by: string | null;
}

export const storeRequestTable = table<StoreRequestRow>({
  name: "store_requests",
  columns: {
    id: "text",
    gateway_id: "text",
    principal_sub: "text",
    code: "text",
    instance_id: "text",
    reason: "text",
    groups: "json",
    requested_by: "text",
    state: "text",
    decided_by: "text",
    decision_note: "text",
    created_at: "text",
    decided_at: "text",
    expires_at: "text",
  },
  search: ["principal_sub", "code"],
  sort: ["created_at", "principal_sub", "code", "state"],
});

/** Returns the ids of requests that were not decided in time. */
export async function listExpiredRequests(db: Db, at: string): Promise<string[]> {
  const rows = await db.many<{ id: string }>(
    "SELECT id FROM store_requests WHERE state = 'pending' AND expires_at <= $1 ORDER BY id",
    at,
  );
  return rows.map(({ id }) => id);
}
