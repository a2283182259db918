/** Operations on the keys of a consumer or collector: list, get, create, rotate, revoke. */
import type { z } from "zod";
import { AppError } from "../contract/errors.ts";
import type { KeyEndpoints, KeyInput } from "../contract/keys.ts";
import { recordChange } from "../db/record-change.ts";
import type { Table } from "../db/table.ts";
import type { KeyColumns } from "../db/tables/keys.ts";
import type { Deps } from "../deps.ts";
import { hashSecret, newSecret, secretHint } from "../lib/crypto/secrets.ts";
import { isExpired } from "../lib/time/duration.ts";
import { type Call, type Route, route } from "../route.ts";
import { checkExpiry, keyState, newKeyColumns, toKeyReply } from "./key-state.ts";

export interface KeyOwner {
  table: Table<KeyColumns>;
  /** Prefix of the secret. */
  prefix: string;
  /** Returns the gateway of the owner in the path, if it has one. Throws if the owner does not exist. */
  findOwner: (deps: Deps, params: Record<string, string>) => Promise<{ gateway_id: string | null }>;
}

export function keyRoutes(keys: KeyEndpoints, holder: KeyOwner): Route[] {
  const { table, prefix } = holder;
  const words = keys.noun.replaceAll("_", " ");
  // Tables of keys have the column of their owner besides KeyColumns.
  const ownerColumn = (call: Call): Partial<KeyColumns> => ({
    [keys.owner]: call.params[keys.owner] ?? "",
  });
  const findKey = async (deps: Deps, call: Call) => {
    const { gateway_id } = await holder.findOwner(deps, call.params);
    const { key_id = "" } = call.params;
    const row = await table.lock(deps.db, { ...ownerColumn(call), id: key_id });
    if (!row) throw new AppError("not_found", `Unknown ${words} ${key_id}.`);
    return { row, gateway_id };
  };
  /** Updates a key and records the change. */
  const change = async (
    deps: Deps,
    call: Call,
    verb: "rotate" | "revoke",
    changes: Partial<Pick<KeyColumns, "expires_at" | "revoked_at">>,
    { row, gateway_id }: { row: KeyColumns; gateway_id: string | null },
  ) => {
    await table.update(deps.db, row.id, changes);
    await recordChange(deps, call, {
      resource: keys.noun,
      verb,
      id: row.id,
      gateway_id,
      before: toKeyReply(deps, row),
      after: toKeyReply(deps, { ...row, ...changes }),
    });
  };
  const issue = async (
    deps: Deps,
    call: Call,
    { name, expires_at }: z.output<typeof KeyInput>,
    gateway_id: string | null,
  ) => {
    const secret = newSecret(prefix);
    const row: KeyColumns = {
      ...ownerColumn(call),
      ...newKeyColumns(deps, hashSecret(secret), secretHint(secret)),
      name,
      expires_at,
    };
    await table.insert(deps.db, row);
    const after = toKeyReply(deps, row);
    const made = { resource: keys.noun, verb: "create", id: row.id, before: null, after } as const;
    await recordChange(deps, call, { ...made, gateway_id });
    return { ...after, [keys.secret]: secret };
  };

  return [
    route(keys.list, async (deps, call) => {
      await holder.findOwner(deps, call.params);
      const rows = await table.page(deps.db, ownerColumn(call), call.query);
      return { ...rows, items: rows.items.map((row) => toKeyReply(deps, row)) };
    }),
    route(keys.get, async (deps, call) => toKeyReply(deps, (await findKey(deps, call)).row)),
    route(keys.create, async (deps, call) => {
      const { gateway_id } = await holder.findOwner(deps, call.params);
      checkExpiry(deps, call.body.expires_at);
      return await issue(deps, call, call.body, gateway_id);
    }),
    route(keys.rotate, async (deps, call) => {
      const found = await findKey(deps, call);
      const old = found.row;
      if (keyState(deps, old) !== "active") {
        throw new AppError("conflict", "The key is expired or revoked. Create a new one instead.");
      }
      const ends = new Date(deps.now().getTime() + call.body.overlap_s * 1000);
      const expires_at = isExpired(old.expires_at, ends) ? old.expires_at : ends.toISOString();
      await change(deps, call, "rotate", { expires_at }, found);
      // The successor gets the original expiry date.
      return await issue(deps, call, old, found.gateway_id);
    }),
    route(keys.revoke, async (deps, call) => {
      const found = await findKey(deps, call);
      if (found.row.revoked_at) return;
      await change(deps, call, "revoke", { revoked_at: deps.now().toISOString() }, found);
    }),
  ];
}
