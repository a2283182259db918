/** Operations on administrator tokens: list, get, create, revoke. */

import { AppError } from "../contract/errors.ts";
import {
  type AdminToken,
  type AdminTokenInput,
  createToken,
  getToken,
  listTokens,
  revokeToken,
} from "../contract/tokens.ts";
import { recordChange } from "../db/record-change.ts";
import { type AdminTokenRow, adminTokenTable } from "../db/tables/admin-tokens.ts";
import { gatewayTable } from "../db/tables/gateways.ts";
import type { Deps } from "../deps.ts";
import { hashSecret, newSecret, secretHint } from "../lib/crypto/secrets.ts";
import { type Call, type Route, route } from "../route.ts";
import { checkExpiry, keyState, newKeyColumns, toKeyReply } from "./key-state.ts";

export const tokenRoutes: Route[] = [
  route(listTokens, async (deps, { query }) => {
    const { items, next_cursor } = await adminTokenTable.page(deps.db, {}, query);
    return { items: items.map((row) => toKeyReply(deps, row)), next_cursor };
  }),
  route(getToken, async (deps, { params }) =>
    toKeyReply(deps, await findToken(deps, params.token_id)),
  ),
  route(createToken, (deps, call) => issueToken(deps, call, call.body, newSecret("pa_"))),
  route(revokeToken, async (deps, call) => {
    const row = await findToken(deps, call.params.token_id);
    if (row.revoked_at) return undefined;
    await keepOneOwner(deps, row);
    const revoked_at = deps.now().toISOString();
    await adminTokenTable.update(deps.db, row.id, { revoked_at });
    await recordChange(deps, call, {
      resource: "token",
      verb: "revoke",
      id: row.id,
      gateway_id: null,
      before: toKeyReply(deps, row),
      after: toKeyReply(deps, { ...row, revoked_at }),
    });
    return undefined;
  }),
];

export async function issueToken(
  deps: Deps,
  call: Pick<Call, "actor" | "request_id" | "trace_id">,
  input: AdminTokenInput,
  token: string,
): Promise<AdminToken & { token: string }> {
  checkExpiry(deps, input.expires_at);
  for (const [index, id] of (input.gateway_ids ?? []).entries()) {
    if (await gatewayTable.find(deps.db, { id })) continue;
    throw new AppError("validation_failed", `gateway_ids[${index}]: unknown gateway ${id}`);
  }
  const row: AdminTokenRow = {
    ...input,
    ...newKeyColumns(deps, hashSecret(token), secretHint(token)),
  };
  await adminTokenTable.insert(deps.db, row);
  await recordChange(deps, call, {
    resource: "token",
    verb: "create",
    id: row.id,
    gateway_id: null,
    before: null,
    after: toKeyReply(deps, row),
  });
  return { ...toKeyReply(deps, row), token };
}

async function findToken(deps: Deps, id: string): Promise<AdminTokenRow> {
  const row = await adminTokenTable.lock(deps.db, { id });
  if (!row) throw new AppError("not_found", `Unknown token ${id}.`);
  return row;
}

/** Rejects revoking the last owner token of all gateways that never expires. */
async function keepOneOwner(deps: Deps, revoked: AdminTokenRow): Promise<void> {
  const owners = await adminTokenTable.all(deps.db, { role: "owner", gateway_ids: null });
  const others = owners.filter(
    (row) => row.id !== revoked.id && keyState(deps, row) === "active" && !row.expires_at,
  );
  if (revoked.role === "owner" && others.length === 0) {
    throw new AppError("conflict", "This is the last owner token. Create another one first.");
  }
}
