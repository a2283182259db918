/** Approves or rejects one item of the inbox. */
import type { InboxItem } from "../../contract/inbox.ts";
import { call } from "../api.ts";
import { approvals, storeRequests } from "../endpoints.ts";

export interface Decision {
  approve: boolean;
  note: string;
  /** Of Store requests. */
  instance_id?: string;
  /** End of the access that a Store request grants. null: it does not end. */
  expires_at?: string | null;
}

/** With `silent`, the screen is not loaded again. */
export async function decideItem(
  { id, kind, gateway_id }: Pick<InboxItem, "id" | "kind" | "gateway_id">,
  { approve, note, instance_id, expires_at = null }: Decision,
  { silent = false } = {},
): Promise<unknown> {
  const writes = silent ? ({ writes: false } as const) : {};
  if (kind === "evaluation") {
    const body = { decision: approve ? "approved" : "denied", note: note || null } as const;
    return await call({ ...approvals.decide, ...writes }, { params: { approval_id: id }, body });
  }
  const params = { gateway_id: gateway_id ?? "", request_id: id };
  if (!approve)
    return await call({ ...storeRequests.reject, ...writes }, { params, body: { note } });
  const body = { expires_at, note, ...(instance_id ? { instance_id } : {}) };
  return await call({ ...storeRequests.approve, ...writes }, { params, body });
}

/** Starts a sentence. */
export const describeItem = ({ kind, subject, requester }: InboxItem): string =>
  kind === "evaluation" ? subject : `The request of ${requester}`;
