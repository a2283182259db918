/** Operations on personal tokens of principals: list, get, create, revoke. */
import { AppError } from "../contract/errors.ts";
import {
  createPrincipalToken,
  getPrincipalToken,
  listPrincipalTokens,
  revokePrincipalToken,
} from "../contract/store/principals.ts";
import { recordChange } from "../db/record-change.ts";
import { type PrincipalTokenRow, principalTokenTable } from "../db/tables/principal-tokens.ts";
import { savePrincipal } from "../db/tables/principals.ts";
import type { Deps } from "../deps.ts";
import { hashSecret, newSecret, secretHint } from "../lib/crypto/secrets.ts";
import { type Route, route } from "../route.ts";
import { checkExpiry, newKeyColumns, toKeyReply } from "./key-state.ts";
import { requireGateway } from "./resource-routes.ts";

export const principalTokenRoutes: Route[] = [
  route(listPrincipalTokens, async (deps, { params, query }) => {
    await requireGateway(deps, params);
    const { principal_sub, ...page } = query;
    const where = { gateway_id: params.gateway_id, ...(principal_sub ? { principal_sub } : {}) };
    const { items, next_cursor } = await principalTokenTable.page(deps.db, where, page);
    return { items: items.map((row) => toKeyReply(deps, row)), next_cursor };
  }),
  route(getPrincipalToken, async (deps, { params }) =>
    toKeyReply(deps, await findToken(deps, params)),
  ),
  route(createPrincipalToken, async (deps, call) => {
    const { gateway_id } = call.params;
    await requireGateway(deps, call.params);
    checkExpiry(deps, call.body.expires_at);
    const token = newSecret("pp_");
    const row: PrincipalTokenRow = {
      ...call.body,
      ...newKeyColumns(deps, hashSecret(token), secretHint(token)),
      gateway_id,
      sign_in: null,
      origin_id: null,
      created_by: call.actor.name,
    };
    await principalTokenTable.insert(deps.db, row);
    const { principal_sub, groups, created_at: seen_at } = row;
    const seen = { id: deps.newId(), gateway_id, principal_sub, groups, seen_at };
    await savePrincipal(deps.db, seen);
    await recordChange(deps, call, {
      resource: "principal_token",
      verb: "create",
      id: row.id,
      gateway_id,
      before: null,
      after: toKeyReply(deps, row),
    });
    return { ...toKeyReply(deps, row), token };
  }),
  route(revokePrincipalToken, async (deps, call) => {
    const row = await findToken(deps, call.params);
    if (row.revoked_at) return undefined;
    const revoked_at = deps.now().toISOString();
    await principalTokenTable.update(deps.db, row.id, { revoked_at });
    await recordChange(deps, call, {
      resource: "principal_token",
      verb: "revoke",
      id: row.id,
      gateway_id: row.gateway_id,
      before: toKeyReply(deps, row),
      after: toKeyReply(deps, { ...row, revoked_at }),
    });
    return undefined;
  }),
];

async function findToken(
  deps: Deps,
  { gateway_id, principal_token_id: id }: { gateway_id: string; principal_token_id: string },
): Promise<PrincipalTokenRow> {
  const row = await principalTokenTable.find(deps.db, { id, gateway_id });
  if (!row) throw new AppError("not_found", `Unknown personal token ${id}.`);
  return row;
}
