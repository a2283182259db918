/** Decides whether a request is the administrator's own, which another person must decide. */
import { adminTokenTable } from "./db/tables/admin-tokens.ts";
import type { Deps } from "./deps.ts";
import { type Actor, isSubject } from "./route.ts";

/** A client can name any requester, so the token that sent the request or created its key counts as well. */
export async function isOwnRequest(
  { db }: Pick<Deps, "db">,
  actor: Actor,
  { requester, requested_by }: { requester: string | null; requested_by: string | null },
): Promise<boolean> {
  if (isSubject(actor, requester)) return true;
  if (requested_by === null) return false;
  const token = await adminTokenTable.find(db, { id: requested_by });
  return token !== undefined && isSubject(actor, token.principal_sub ?? token.name);
}
