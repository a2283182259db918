/** Finds the administrator who may have filed or changed a request in the name of a principal, and must not decide it. */
import { adminTokenTable } from "../../db/tables/admin-tokens.ts";
import { findCreator } from "../../db/tables/audit-log.ts";
import type { Deps } from "../../deps.ts";
import { isOwner } from "../../route.ts";

/**
 * Takes the id of an administrator's token, or of a personal token, whose creator may have a copy. Returns null if no
 * administrator is behind it, or an owner of all gateways, who is often the only one.
 */
export async function findFiler({ db }: Deps, token_id: string | null): Promise<string | null> {
  if (token_id === null) return null;
  const id = (await findCreator(db, ["principal_token"], token_id)) ?? token_id;
  const token = await adminTokenTable.find(db, { id });
  return token && !isOwner(token) ? token.id : null;
}
