/** Keys and tokens whose hash is known but not their secret: stored, or renamed, as a file says. */

import type { ConfigKey, ConfigToken } from "../contract/config-file.ts";
import { AppError } from "../contract/errors.ts";
import { type AdminTokenRow, adminTokenTable } from "../db/admin-tokens.ts";
import { consumerKeyTable, type KeyRow } from "../db/keys.ts";
import { recordChange } from "../db/record-change.ts";
import type { Deps } from "../deps.ts";
import type { Actor } from "../route.ts";
import { keyState } from "./key-state.ts";

/** One whose time is over is stored too: it works no more here than where it came from. */
export async function saveKeyRow(
  deps: Deps,
  actor: Actor,
  { gateway_id, consumer_id }: { gateway_id: string; consumer_id: string },
  { sha256, hint, ...input }: ConfigKey,
): Promise<void> {
  const before = await consumerKeyTable.lock(deps.db, { hash: sha256 });
  if (before && before.consumer_id !== consumer_id) {
    throw new AppError("conflict", "sha256: is a key of another consumer");
  }
  const row: KeyRow<"consumer_id"> = before
    ? { ...before, ...input }
    : { ...input, ...newHeld(deps, sha256, hint), consumer_id };
  if (before) await consumerKeyTable.update(deps.db, row.id, input);
  else await consumerKeyTable.insert(deps.db, row);
  await record(deps, actor, { resource: "consumer_key", gateway_id, before, after: row });
}

export async function saveTokenRow(
  deps: Deps,
  actor: Actor,
  { sha256, hint, ...input }: Omit<ConfigToken, "gateways"> & Pick<AdminTokenRow, "gateway_ids">,
): Promise<void> {
  const before = await adminTokenTable.lock(deps.db, { hash: sha256 });
  const row: AdminTokenRow = before
    ? { ...before, ...input }
    : { ...input, ...newHeld(deps, sha256, hint) };
  if (before) await adminTokenTable.update(deps.db, row.id, input);
  else await adminTokenTable.insert(deps.db, row);
  await record(deps, actor, { resource: "token", gateway_id: null, before, after: row });
}

const newHeld = (deps: Deps, hash: string, hint: string) => ({
  id: deps.newId(),
  hash,
  hint,
  revoked_at: null,
  last_used_at: null,
  created_at: deps.now().toISOString(),
});

type Row = KeyRow<"consumer_id"> | AdminTokenRow;

async function record(
  deps: Deps,
  actor: Actor,
  change: { resource: string; gateway_id: string | null; before: Row | undefined; after: Row },
): Promise<void> {
  const shown = ({ hash: _, ...row }: Row) => ({ ...row, state: keyState(deps, row) });
  const call = { actor, request_id: deps.newId(), trace_id: deps.newId() };
  await recordChange(deps, call, {
    ...change,
    verb: change.before ? "update" : "create",
    id: change.after.id,
    before: change.before ? shown(change.before) : null,
    after: shown(change.after),
  });
}
