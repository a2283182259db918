/** Keys, service clients and tokens whose hash is known but not their secret: stored, renamed or revoked, as a file says. */

import { newKeyColumns, toKeyReply } from "../admin/key-state.ts";
import { perform } from "../admin/perform.ts";
import type { ConfigServiceClient, ConfigToken } from "../contract/config-held.ts";
import { AppError } from "../contract/errors.ts";
import type { KeyEndpoints } from "../contract/keys.ts";
import { revokeToken } from "../contract/tokens.ts";
import { type AdminTokenRow, adminTokenTable } from "../db/admin-tokens.ts";
import type { KeyColumns } from "../db/keys.ts";
import { recordChange } from "../db/record-change.ts";
import type { Table } from "../db/table.ts";
import type { Deps } from "../deps.ts";
import type { Actor } from "../route.ts";
import type { Run } from "./draft-plan.ts";
import { found, named } from "./find-by-name.ts";

export interface KeyPlace {
  keys: KeyEndpoints;
  table: Table<KeyColumns>;
  /** The holder as the path names it, and the gateway it belongs to, if any. */
  holder: (deps: Deps) => Promise<{ params: Record<string, string>; gateway_id: string | null }>;
}

/** One whose time is over is stored too: it works no more here than where it came from. */
export function saveKey({ keys, table, holder }: KeyPlace, key: ConfigServiceClient): Run {
  const { sha256, hint, client_id, ...input } = key;
  return async (deps, actor) => {
    const { params, gateway_id } = await holder(deps);
    // The column that names the holder: KeyColumns are what all tables of keys share.
    const owner: Partial<KeyColumns> = { [keys.owner]: params[keys.owner] };
    const before = await table.lock(deps.db, { hash: sha256, ...owner });
    if (!before && (await table.find(deps.db, { hash: sha256 }))) {
      throw new AppError("conflict", `sha256: belongs to another ${keys.owner.replace("_id", "")}`);
    }
    if (before && client_id && client_id !== before.id) {
      throw new AppError("conflict", "client_id: cannot be changed; give it a new secret too");
    }
    const row: KeyColumns = before
      ? { ...before, ...input }
      : {
          ...input,
          ...owner,
          ...newKeyColumns(deps, sha256, hint),
          ...(client_id && { id: client_id }),
        };
    if (before) await table.update(deps.db, row.id, input);
    else await table.insert(deps.db, row);
    await record(deps, actor, { resource: keys.noun, gateway_id, before, after: row });
  };
}

export function revokeKey({ keys, table, holder }: KeyPlace, sha256: string): Run {
  return async (deps, actor) => {
    const row = found(await table.find(deps.db, { hash: sha256 }), keys.noun);
    const { params } = await holder(deps);
    await perform(deps, actor, keys.revoke, { params: { ...params, key_id: row.id } });
  };
}

export function saveToken({ gateways: slugs, sha256, hint, ...own }: ConfigToken): Run {
  return async (deps, actor) => {
    const ids = slugs?.map((slug, index) => named(deps, `gateways[${index}]`, "gateway", slug));
    const input = { ...own, gateway_ids: ids ? await Promise.all(ids) : null };
    const before = await adminTokenTable.lock(deps.db, { hash: sha256 });
    const row: AdminTokenRow = before
      ? { ...before, ...input }
      : { ...input, ...newKeyColumns(deps, sha256, hint) };
    if (before) await adminTokenTable.update(deps.db, row.id, input);
    else await adminTokenTable.insert(deps.db, row);
    await record(deps, actor, { resource: "token", gateway_id: null, before, after: row });
  };
}

export function revokeTokenOf(sha256: string): Run {
  return async (deps, actor) => {
    const row = found(await adminTokenTable.find(deps.db, { hash: sha256 }), "token");
    await perform(deps, actor, revokeToken, { params: { token_id: row.id } });
  };
}

type Row = KeyColumns | AdminTokenRow;

async function record(
  deps: Deps,
  actor: Actor,
  change: { resource: string; gateway_id: string | null; before: Row | undefined; after: Row },
): Promise<void> {
  const call = { actor, request_id: deps.newId(), trace_id: deps.newId() };
  await recordChange(deps, call, {
    ...change,
    verb: change.before ? "update" : "create",
    id: change.after.id,
    before: change.before ? toKeyReply(deps, change.before) : null,
    after: toKeyReply(deps, change.after),
  });
}
