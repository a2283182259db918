/** Files, changes and closes the requests of principals, each with an audit record. */
import { AppError } from "../../contract/errors.ts";
import { runExclusive } from "../../db/config-revision.ts";
import { type AuditAuthor, type AuditChange, recordChange } from "../../db/record-change.ts";
import {
  listExpiredRequests,
  type StoreRequestRow,
  storeRequestTable,
} from "../../db/tables/store-requests.ts";
import type { Deps } from "../../deps.ts";
import type { RequestChanges } from "../installs/decide-install.ts";
import { findFiler } from "./find-filer.ts";

const DAY_MS = 86_400_000;
/** Long enough for an approver to return from a vacation. */
const OPEN_DAYS = 14;

export async function fileRequest(
  deps: Deps,
  author: AuditAuthor,
  request: Pick<
    StoreRequestRow,
    "gateway_id" | "principal_sub" | "code" | "instance_id" | "reason" | "groups" | "requested_by"
  >,
  why: Record<string, unknown>,
): Promise<void> {
  const at = deps.now();
  const row: StoreRequestRow = {
    ...request,
    id: deps.newId(),
    state: "pending",
    decided_by: null,
    decision_note: null,
    created_at: at.toISOString(),
    decided_at: null,
    expires_at: new Date(at.getTime() + OPEN_DAYS * DAY_MS).toISOString(),
  };
  await storeRequestTable.insert(deps.db, row);
  await record(deps, author, { verb: "create", before: null, after: row, why });
}

/**
 * Changes a pending request. An administrator who changes it in the name of its principal must not decide it, like one who
 * files it. The row records only one such administrator. The audit log records the new reason, because approvers see it as
 * the reason of the principal.
 */
export async function updateRequest(
  deps: Deps,
  author: AuditAuthor,
  before: StoreRequestRow,
  changes: RequestChanges,
  { token_id, sign_in }: InstallCaller,
): Promise<void> {
  if (Object.keys(changes).length === 0) return;
  const filer = await findFiler(deps, token_id);
  if (filer !== null && ![null, filer].includes(before.requested_by)) {
    throw new AppError(
      "conflict",
      "Another administrator filed or changed this request. Cancel it before you file another one.",
    );
  }
  const changed = { ...changes, requested_by: filer ?? before.requested_by };
  await storeRequestTable.update(deps.db, before.id, changed);
  const isInOtherName = sign_in === undefined || filer !== null;
  const why = isInOtherName && changes.reason ? { reason: changes.reason } : {};
  await record(deps, author, { verb: "update", before, after: { ...before, ...changed }, why });
}

export interface InstallCaller {
  /** Sign-in of the calling principal; undefined: an administrator calls. */
  sign_in: string | undefined;
  /** Token of the caller; null: a token of an identity provider, or a command. */
  token_id: string | null;
}

const VERBS = {
  approved: "approve",
  rejected: "reject",
  cancelled: "cancel",
  expired: "expire",
  superseded: "supersede",
} as const satisfies Record<string, AuditChange["verb"]>;

/** spec 4.1.5: the reason is deleted unless an approver decided the request. */
export async function closeRequest(
  deps: Deps,
  author: AuditAuthor,
  before: StoreRequestRow,
  closed: { state: keyof typeof VERBS; instance_id?: string; note?: string },
): Promise<StoreRequestRow> {
  const { state, instance_id = before.instance_id, note = null } = closed;
  const decided = state === "approved" || state === "rejected";
  const after: StoreRequestRow = {
    ...before,
    state,
    instance_id,
    reason: decided ? before.reason : null,
    decided_by: author.actor.name,
    decision_note: note || null,
    decided_at: deps.now().toISOString(),
  };
  await storeRequestTable.update(deps.db, before.id, after);
  await record(deps, author, { verb: VERBS[state], before, after, why: {} });
  return after;
}

/** Closes requests that were not decided in time. Called before requests are read; costs one query when none is due. */
export async function expireRequests(deps: Deps): Promise<void> {
  const due = await listExpiredRequests(deps.db, deps.now().toISOString());
  if (due.length === 0) return;
  const author = {
    actor: { id: null, name: "clock" },
    request_id: deps.newId(),
    trace_id: deps.newId(),
  };
  await runExclusive(deps.db, async (db) => {
    for (const id of due) {
      const row = await storeRequestTable.lock(db, { id, state: "pending" });
      if (row) await closeRequest({ ...deps, db }, author, row, { state: "expired" });
    }
  });
}

async function record(
  deps: Deps,
  author: AuditAuthor,
  change: {
    verb: AuditChange["verb"];
    before: StoreRequestRow | null;
    after: StoreRequestRow;
    why: Record<string, unknown>;
  },
): Promise<void> {
  // The principal's own reason is for the approver only, not for the audit log.
  const toAudited = ({ reason: _, requested_by: __, ...row }: StoreRequestRow) => row;
  await recordChange(deps, author, {
    resource: "store_request",
    verb: change.verb,
    id: change.after.id,
    gateway_id: change.after.gateway_id,
    before: change.before && toAudited(change.before),
    after: { ...toAudited(change.after), ...change.why },
  });
}
