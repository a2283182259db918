/** Finds the administrator who may have sent a request, and must not decide its approval. */
import { adminTokenTable } from "../db/tables/admin-tokens.ts";
import { findCreator } from "../db/tables/audit-log.ts";
import type { Deps } from "../deps.ts";
import type { Caller } from "./identify-caller.ts";

/**
 * Returns the id of the administrator's token that sends the request, or that created its key, of which the creator may
 * have a copy. null: none, or the creator is an owner of all gateways, who can create tokens in any name and is often the
 * only administrator.
 */
export async function findSender({ db, snapshot }: Deps, caller: Caller): Promise<string | null> {
  const id = caller.kind === "administrator" ? caller.token_id : caller.credential_id;
  if (id === undefined) return null;
  const tokens = snapshot().tokensByHash.values();
  if (tokens.some((token) => token.id === id)) return id;
  const creator = await findCreator(db, KEY_RESOURCES, id);
  const token = creator === null ? undefined : await adminTokenTable.find(db, { id: creator });
  if (!token || (token.role === "owner" && token.gateway_ids === null)) return null;
  return token.id;
}

const KEY_RESOURCES = ["consumer_key", "collector_key", "service_client", "principal_token"];
