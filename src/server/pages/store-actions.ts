/** Changes that a principal makes to their servers: install or request, remove, cancel a request. */
import { decode } from "../../contract/decode.ts";
import { AppError } from "../../contract/errors.ts";
import { type InstallReply, InstallRequest } from "../../contract/store/installs.ts";
import { changeStore } from "../../db/config-revision.ts";
import type { AuditAuthor } from "../../db/record-change.ts";
import { storeInstallTable } from "../../db/tables/store-installs.ts";
import { storeRequestTable } from "../../db/tables/store-requests.ts";
import type { Deps } from "../../deps.ts";
import { installServer } from "../../mcp-store/installs/install-server.ts";
import { deleteInstall } from "../../mcp-store/installs/save-install.ts";
import type { Principal } from "../../mcp-store/principals/identify-principal.ts";
import { cancelRequest } from "../../mcp-store/requests/decide-request.ts";

export async function installByForm(
  deps: Deps,
  author: AuditAuthor,
  principal: Principal,
  form: URLSearchParams,
): Promise<InstallReply> {
  const { gateway_id, principal_sub, groups } = principal;
  const { code, instance_id = "", reason = "" } = Object.fromEntries(form);
  const body = decode(InstallRequest, { code, instance_id, reason, principal_sub, groups });
  const reply = await changeStore(deps.db, (db) =>
    installServer({ ...deps, db }, author, gateway_id, body, principal),
  );
  // A rejection is returned, so that its audit record is committed.
  if (reply instanceof AppError) throw reply;
  return reply;
}

/** Returns the id of the principal's install of an instance. */
export async function findInstallId(
  { db }: Deps,
  { gateway_id, principal_sub }: Principal,
  instance_id: string,
): Promise<string | undefined> {
  return (await storeInstallTable.find(db, { gateway_id, principal_sub, instance_id }))?.id;
}

/** Ignores an install that is already removed. */
export const removeOwnInstall = (
  deps: Deps,
  author: AuditAuthor,
  { gateway_id, principal_sub }: Principal,
  id: string,
): Promise<void> =>
  changeStore(deps.db, async (db) => {
    const install = await storeInstallTable.find(db, { id, gateway_id, principal_sub });
    if (install) await deleteInstall({ ...deps, db }, author, install);
  });

export const cancelOwnRequest = (
  deps: Deps,
  author: AuditAuthor,
  { gateway_id, principal_sub }: Principal,
  id: string,
): Promise<void> =>
  changeStore(deps.db, async (db) => {
    const own = await storeRequestTable.find(db, { id, gateway_id, principal_sub });
    if (!own) throw new AppError("not_found", "You have no request with this id.");
    await cancelRequest({ ...deps, db }, author, { gateway_id, request_id: id });
  });
