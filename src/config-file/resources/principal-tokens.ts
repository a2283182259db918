/** Personal tokens of a gateway's principals in a configuration file. */
import { PrincipalTokenInput, revokePrincipalToken } from "../../contract/store/principals.ts";
import { principalTokenTable } from "../../db/tables/principal-tokens.ts";
import { savePrincipal } from "../../db/tables/principals.ts";
import { hashedResource } from "../hashed-resource.ts";
import { ConfigPrincipalToken } from "../schema.ts";

const tokens = hashedResource({
  noun: "principal_token",
  list: "principal_tokens",
  id: "principal_token_id",
  schema: ConfigPrincipalToken,
  input: PrincipalTokenInput,
  table: principalTokenTable,
  owner: "gateway_id",
  revoke: revokePrincipalToken,
  newColumns: ({ actor }) => ({ sign_in: null, origin_id: null, created_by: actor.name }),
  keepReason: ({ created_by, principal_sub }) =>
    created_by === principal_sub ? "not in the file, but its principal created it" : undefined,
});

export const principalTokens: typeof tokens = {
  ...tokens,
  async save(context, parent, item, id) {
    const { db, newId, now } = context.deps;
    const { principal_sub, groups } = item;
    const { gateway_id = "" } = parent;
    const seen_at = now().toISOString();
    await savePrincipal(db, { id: newId(), gateway_id, principal_sub, groups, seen_at });
    return await tokens.save(context, parent, item, id);
  },
};
