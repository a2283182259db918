/** Lists, reads and decides approvals, and returns the decision to the collector that polls for it. */

import { AppError } from "../../contract/errors.ts";
import type { StoredText } from "../../contract/guard/activity.ts";
import {
  type Approval,
  checkApproval,
  decideApproval,
  getApproval,
  listApprovals,
} from "../../contract/guard/approvals.ts";
import { PERMISSIONS } from "../../contract/roles.ts";
import { recordChange } from "../../db/record-change.ts";
import {
  type ApprovalRow,
  approvalContentTable,
  approvalTable,
  expireApprovals,
  sealedContent,
} from "../../db/tables/approvals.ts";
import { findContent } from "../../db/tables/evaluation-events.ts";
import type { Deps } from "../../deps.ts";
import { isOwnRequest } from "../../is-own-request.ts";
import { unseal } from "../../lib/crypto/seal.ts";
import { type DirectRoute, type Route, route } from "../../route.ts";
import { identifyCaller, readSecret } from "../identify-caller.ts";
import { canUseCollector } from "../identify-collector.ts";

export const approvalRoutes: Route[] = [
  route(listApprovals, async (deps, { query: { status, collector_id, ...query } }) => {
    await expireApprovals(deps.db, deps.now());
    const where = { ...(status && { status }), ...(collector_id && { collector_id }) };
    return await approvalTable.page(deps.db, where, { ...query, sort: undefined });
  }),
  route(getApproval, async (deps, { params, actor }) => {
    const approval = await readApproval(deps, params.approval_id);
    const isPermitted = PERMISSIONS[actor.role].some(
      (permission) => permission === "approve" || permission === "audit",
    );
    const showsContent = isPermitted && approval.status === "pending";
    return { ...approval, content: showsContent ? await readContent(deps, approval) : null };
  }),
  route(decideApproval, async (deps, call) => {
    const before = await readApproval(deps, call.params.approval_id);
    if (before.status !== "pending") {
      throw new AppError("conflict", `This approval is already ${before.status}.`);
    }
    const { consumer_id: requester, requested_by } = before;
    if (await isOwnRequest(deps, call.actor, { requester, requested_by })) {
      throw new AppError(
        "forbidden",
        "You cannot decide your own request, or one that was sent with a key that you created. Another person must decide it.",
      );
    }
    const { decision, note } = call.body;
    const decided = {
      status: decision,
      note,
      decided_by: call.actor.name,
      decided_at: deps.now().toISOString(),
    };
    await approvalTable.update(deps.db, before.id, decided);
    await approvalContentTable.remove(deps.db, { id: before.id });
    const after = { ...before, ...decided };
    await recordChange(deps, call, {
      resource: "approval",
      verb: decision,
      id: before.id,
      gateway_id: null,
      before: toApproval(before),
      after: toApproval(after),
    });
    return after;
  }),
];

export const checkApprovalRoute: DirectRoute = {
  endpoint: checkApproval,
  async respond(deps, { request, params, headers }) {
    const caller = identifyCaller(deps, readSecret(request));
    const { id, status, expires_at, collector_id } = await readApproval(
      deps,
      params.approval_id ?? "",
    );
    const collector = deps.snapshot().collectors.get(collector_id);
    if (!collector || !canUseCollector(caller, collector)) throw notFound(id);
    return Response.json({ id, status, expires_at }, { headers });
  },
};

/** Falls back to the content of the event: an approval of an earlier release has none of its own. */
async function readContent(
  deps: Deps,
  { id, event_id }: ApprovalRow,
): Promise<StoredText[] | null> {
  const stored = await approvalContentTable.find(deps.db, { id });
  if (!stored) return await findContent(deps.db, event_id);
  return JSON.parse(unseal(deps.keyring(), sealedContent(id), stored.content) ?? "null");
}

async function readApproval(deps: Deps, id: string): Promise<ApprovalRow> {
  const row = await approvalTable.lock(deps.db, { id });
  if (!row) throw notFound(id);
  const isExpired = row.status === "pending" && row.expires_at <= deps.now().toISOString();
  return isExpired ? { ...row, status: "expired" } : row;
}

const notFound = (id: string) =>
  new AppError("not_found", `Unknown approval "${id.slice(0, 80)}".`);

/** Leaves out what is internal. */
const toApproval = ({ fingerprint: _, requested_by: __, ...row }: ApprovalRow): Approval => row;
