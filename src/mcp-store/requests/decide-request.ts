/** An approver decides a request: the first decision counts, and nobody decides their own. */
import { AppError } from "../../contract/errors.ts";
import type { StoreRequest } from "../../contract/store-requests.ts";
import { findCatalogEntry } from "../../db/catalog-entries.ts";
import type { AuditAuthor } from "../../db/record-change.ts";
import { type StoreRequestRow, storeRequestTable } from "../../db/store-requests.ts";
import type { Deps } from "../../deps.ts";
import { isExpired } from "../../lib/time/duration.ts";
import { type Actor, isSubject } from "../../route.ts";
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
  place: RequestKey,
  given: { instance_id?: string | undefined; expires_at: string | null; note: string },
): Promise<StoreRequest> {
  const request = await lockDecidableRequest(deps, author, place);
  const { gateway_id, principal_sub, code } = request;
  if (isExpired(given.expires_at, deps.now())) {
    throw new AppError("validation_failed", "expires_at: must be in the future");
  }
  const entry = await findCatalogEntry(deps.db, gateway_id, code);
  if (!entry || entry.status === "hidden") {
    throw new AppError("conflict", `${code} is no longer in the Store.`);
  }
  // As of now: those who asked may be in other groups by now.
  const standing = await readPrincipalAccess(deps, gateway_id, { principal_sub });
  if (standing.levelFor(entry).level === "none") {
    throw new AppError(
      "conflict",
      "The principal's access level is none by now, which an approval does not lift.",
    );
  }
  if (!given.instance_id) await checkRequestedInstance(deps, request);
  const instance_id = given.instance_id ?? request.instance_id;
  const instance = await instanceToApprove(deps, author, gateway_id, { entry, instance_id });
  const where = { gateway_id, principal_sub, code, instance_id: instance.id };
  await approveInstall(deps, author, where, given.expires_at);
  const decision = { state: "approved", instance_id: instance.id, note: given.note } as const;
  return await closeRequest(deps, author, request, decision);
}

/** Another one than was asked for is the approver's choice, never ours. */
async function checkRequestedInstance(
  deps: Deps,
  { gateway_id, code, instance_id }: StoreRequestRow,
): Promise<void> {
  if (instance_id === null) return;
  const instances = await listInstances(deps, gateway_id, code);
  if (instances.some(({ id, enabled }) => id === instance_id && enabled)) return;
  throw new AppError(
    "conflict",
    "The instance that was asked for is gone or disabled: name another one as instance_id, or reject.",
  );
}

export async function rejectRequest(
  deps: Deps,
  author: Approver,
  place: RequestKey,
  note: string,
): Promise<StoreRequest> {
  const request = await lockDecidableRequest(deps, author, place);
  return await closeRequest(deps, author, request, { state: "rejected", note });
}

/** On behalf of the one who asked, so it may be their own. */
export async function cancelRequest(
  deps: Deps,
  author: AuditAuthor,
  place: RequestKey,
): Promise<StoreRequest> {
  const request = await lockPendingRequest(deps, place);
  return await closeRequest(deps, author, request, { state: "cancelled" });
}

export async function lockRequest(
  deps: Deps,
  { gateway_id, request_id }: RequestKey,
): Promise<StoreRequestRow> {
  const row = await storeRequestTable.lock(deps.db, { id: request_id, gateway_id });
  if (row) return row;
  throw new AppError("not_found", `There is no request with the id ${request_id}.`);
}

async function lockDecidableRequest(
  deps: Deps,
  { actor }: Approver,
  place: RequestKey,
): Promise<StoreRequestRow> {
  const row = await lockPendingRequest(deps, place);
  if (!isSubject(actor, row.principal_sub)) return row;
  throw new AppError("forbidden", "This is your own request: another person must decide it.");
}

async function lockPendingRequest(deps: Deps, place: RequestKey): Promise<StoreRequestRow> {
  await expireRequests(deps);
  const row = await lockRequest(deps, place);
  if (row.state === "pending") return row;
  throw new AppError("conflict", `This request is ${row.state} already.`);
}
