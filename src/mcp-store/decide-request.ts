/** An approver decides a request: the first decision counts, and nobody decides their own. */
import { AppError } from "../contract/errors.ts";
import type { StoreRequest } from "../contract/store-requests.ts";
import { findCatalogEntry } from "../db/catalog-entries.ts";
import type { AuditAuthor } from "../db/record-change.ts";
import { type StoreRequestRow, storeRequestTable } from "../db/store-requests.ts";
import type { Deps } from "../deps.ts";
import { isExpired } from "../lib/time/duration.ts";
import { type Actor, isSubject } from "../route.ts";
import { approveInstall, instanceToApprove } from "./approve-install.ts";
import { instancesOf } from "./instances.ts";
import { closeRequest, expireRequests } from "./save-request.ts";
import { standingOf } from "./standing.ts";

export interface Approver extends AuditAuthor {
  actor: Actor;
}

interface RequestPlace {
  gateway_id: string;
  request_id: string;
}

export async function approveRequest(
  deps: Deps,
  author: Approver,
  place: RequestPlace,
  given: { instance_id?: string | undefined; expires_at: string | null; note: string },
): Promise<StoreRequest> {
  const request = await openRequest(deps, author, place);
  const { gateway_id, principal_sub, code } = request;
  if (isExpired(given.expires_at, deps.now())) {
    throw new AppError("validation_failed", "expires_at: must be in the future");
  }
  const entry = await findCatalogEntry(deps.db, gateway_id, code);
  if (!entry || entry.status === "hidden") {
    throw new AppError("conflict", `${code} is no longer in the Store.`);
  }
  // As of now: those who asked may be in other groups by now.
  const standing = await standingOf(deps, gateway_id, { principal_sub });
  if (standing.levelFor(entry).level === "none") {
    throw new AppError(
      "conflict",
      "The principal's access level is none by now, which an approval does not lift.",
    );
  }
  if (!given.instance_id) await checkAskedInstance(deps, request);
  const instance_id = given.instance_id ?? request.instance_id;
  const instance = await instanceToApprove(deps, author, gateway_id, { entry, instance_id });
  const where = { gateway_id, principal_sub, code, instance_id: instance.id };
  await approveInstall(deps, author, where, given.expires_at);
  const decision = { state: "approved", instance_id: instance.id, note: given.note } as const;
  return await closeRequest(deps, author, request, decision);
}

/** Another one than was asked for is the approver's choice, never ours. */
async function checkAskedInstance(
  deps: Deps,
  { gateway_id, code, instance_id }: StoreRequestRow,
): Promise<void> {
  if (instance_id === null) return;
  const instances = await instancesOf(deps, gateway_id, code);
  if (instances.some(({ id, enabled }) => id === instance_id && enabled)) return;
  throw new AppError(
    "conflict",
    "The instance that was asked for is gone or disabled: name another one as instance_id, or reject.",
  );
}

export async function rejectRequest(
  deps: Deps,
  author: Approver,
  place: RequestPlace,
  note: string,
): Promise<StoreRequest> {
  const request = await openRequest(deps, author, place);
  return await closeRequest(deps, author, request, { state: "rejected", note });
}

/** On behalf of the one who asked, so it may be their own. */
export async function cancelRequest(
  deps: Deps,
  author: AuditAuthor,
  place: RequestPlace,
): Promise<StoreRequest> {
  const request = await pendingRequest(deps, place);
  return await closeRequest(deps, author, request, { state: "cancelled" });
}

export async function findRequest(
  deps: Deps,
  { gateway_id, request_id }: RequestPlace,
): Promise<StoreRequestRow> {
  const row = await storeRequestTable.lock(deps.db, { id: request_id, gateway_id });
  if (row) return row;
  throw new AppError("not_found", `There is no request with the id ${request_id}.`);
}

async function openRequest(
  deps: Deps,
  { actor }: Approver,
  place: RequestPlace,
): Promise<StoreRequestRow> {
  const row = await pendingRequest(deps, place);
  if (!isSubject(actor, row.principal_sub)) return row;
  throw new AppError("forbidden", "This is your own request: another person must decide it.");
}

async function pendingRequest(deps: Deps, place: RequestPlace): Promise<StoreRequestRow> {
  await expireRequests(deps);
  const row = await findRequest(deps, place);
  if (row.state === "pending") return row;
  throw new AppError("conflict", `This request is ${row.state} already.`);
}
