/** Approves, rejects and cancels requests. The first decision counts, and approvers cannot decide their own requests. */
import { AppError } from "../../contract/errors.ts";
import type { StoreRequest } from "../../contract/store/requests.ts";
import type { AuditAuthor } from "../../db/record-change.ts";
import { findCatalogEntry } from "../../db/tables/catalog-entries.ts";
import { type StoreRequestRow, storeRequestTable } from "../../db/tables/store-requests.ts";
import type { Deps } from "../../deps.ts";
import { isOwnRequest } from "../../is-own-request.ts";
import { isExpired } from "../../lib/time/duration.ts";
import type { Actor } from "../../route.ts";
import { readPrincipalAccess } from "../access/principal-access.ts";
import { approveInstall, instanceToApprove } from "../installs/approve-install.ts";
import { listInstances } from "../installs/instances.ts";
import { closeRequest, expireRequests } from "./save-request.ts";

export interface Approver extends AuditAuthor {
  actor: Actor;
}

interface RequestKey {
  gateway_id: string;
  request_id: string;
}

export async function approveRequest(
  deps: Deps,
  author: Approver,
  key: RequestKey,
  input: { instance_id?: string | undefined; expires_at: string | null; note: string },
): Promise<StoreRequest> {
  const request = await lockDecidableRequest(deps, author, key);
  const { gateway_id, principal_sub, code } = request;
  if (isExpired(input.expires_at, deps.now())) {
    throw new AppError("validation_failed", "expires_at: must be in the future");
  }
  const entry = await findCatalogEntry(deps.db, gateway_id, code);
  if (!entry || entry.status === "hidden") {
    throw new AppError(
      "conflict",
      `${code} is no longer in the Store. Add or show its catalog entry first, or reject the request.`,
    );
  }
  // The groups of the principal may have changed since the request.
  const access = await readPrincipalAccess(deps, gateway_id, { principal_sub });
  if (access.levelFor(entry).level === "none") {
    throw new AppError(
      "conflict",
      "The principal's access level is now none. Change the access rules first, or reject the request.",
    );
  }
  if (!input.instance_id) await checkRequestedInstance(deps, request);
  const instance_id = input.instance_id ?? request.instance_id;
  const instance = await instanceToApprove(deps, author, gateway_id, { entry, instance_id });
  const where = { gateway_id, principal_sub, code, instance_id: instance.id };
  await approveInstall(deps, author, where, input.expires_at);
  const decision = { state: "approved", instance_id: instance.id, note: input.note } as const;
  return await closeRequest(deps, author, request, decision);
}

/** Only the approver may choose another instance than the requested one. */
async function checkRequestedInstance(
  deps: Deps,
  { gateway_id, code, instance_id }: StoreRequestRow,
): Promise<void> {
  if (instance_id === null) return;
  const instances = await listInstances(deps, gateway_id, code);
  if (instances.some(({ id, enabled }) => id === instance_id && enabled)) return;
  throw new AppError(
    "conflict",
    "The requested instance was deleted or disabled. Set instance_id to another one, or reject the request.",
  );
}

export async function rejectRequest(
  deps: Deps,
  author: Approver,
  key: RequestKey,
  note: string,
): Promise<StoreRequest> {
  const request = await lockDecidableRequest(deps, author, key);
  return await closeRequest(deps, author, request, { state: "rejected", note });
}

/** Cancels a request on behalf of its principal, so it may be the caller's own. */
export async function cancelRequest(
  deps: Deps,
  author: AuditAuthor,
  key: RequestKey,
): Promise<StoreRequest> {
  const request = await lockPendingRequest(deps, key);
  return await closeRequest(deps, author, request, { state: "cancelled" });
}

export async function lockRequest(
  deps: Deps,
  { gateway_id, request_id }: RequestKey,
): Promise<StoreRequestRow> {
  const row = await storeRequestTable.lock(deps.db, { id: request_id, gateway_id });
  if (row) return row;
  throw new AppError("not_found", `No request has the id ${request_id}.`);
}

async function lockDecidableRequest(
  deps: Deps,
  { actor }: Approver,
  key: RequestKey,
): Promise<StoreRequestRow> {
  const row = await lockPendingRequest(deps, key);
  const { principal_sub: requester, requested_by } = row;
  if (!(await isOwnRequest(deps, actor, { requester, requested_by }))) return row;
  throw new AppError(
    "forbidden",
    "This is your own request, or you filed or changed it in another name: another person must decide it.",
  );
}

async function lockPendingRequest(deps: Deps, key: RequestKey): Promise<StoreRequestRow> {
  await expireRequests(deps);
  const row = await lockRequest(deps, key);
  if (row.state === "pending") return row;
  throw new AppError("conflict", `The request is already ${row.state}.`);
}
