/** Consumer keys: made and shown once, rotated with an overlap, revoked at once. */

import {
  type ConsumerKey,
  createConsumerKey,
  getConsumerKey,
  listConsumerKeys,
  revokeConsumerKey,
  rotateConsumerKey,
} from "../contract/consumer-keys.ts";
import { AppError } from "../contract/errors.ts";
import { type ConsumerKeyRow, consumerKeyTable } from "../db/consumer-keys.ts";
import { consumerTable } from "../db/consumers.ts";
import { recordChange } from "../db/record-change.ts";
import type { Deps } from "../deps.ts";
import { newSecret } from "../lib/ids.ts";
import { secretHash, secretHint } from "../lib/secret-hash.ts";
import { type Call, type Route, route } from "../route.ts";
import { checkExpiry, keyState } from "./key-state.ts";

type Place = { gateway_id: string; consumer_id: string };

export const consumerKeyRoutes: Route[] = [
  route(listConsumerKeys, async (deps, { params, query }) => {
    await findConsumer(deps, params);
    const { consumer_id } = params;
    const { items, next_cursor } = await consumerKeyTable.page(deps.db, { consumer_id }, query);
    return { items: items.map((row) => shown(deps, row)), next_cursor };
  }),
  route(getConsumerKey, async (deps, { params }) => shown(deps, await findKey(deps, params))),
  route(createConsumerKey, async (deps, call) => {
    await findConsumer(deps, call.params);
    checkExpiry(deps, call.body.expires_at);
    return await issueKey(deps, call, call.body);
  }),
  route(rotateConsumerKey, async (deps, call) => {
    const old = await findKey(deps, call.params);
    if (keyState(deps, old) !== "active") {
      throw new AppError("conflict", "This key no longer works: create a new one instead.");
    }
    const ends = new Date(deps.now().getTime() + call.body.overlap_s * 1000).toISOString();
    const expires_at = old.expires_at && old.expires_at < ends ? old.expires_at : ends;
    await consumerKeyTable.update(deps.db, old.id, { expires_at });
    await recordChange(deps, call, {
      resource: "consumer_key",
      verb: "rotate",
      id: old.id,
      gateway_id: call.params.gateway_id,
      before: shown(deps, old),
      after: shown(deps, { ...old, expires_at }),
    });
    // The successor never expires earlier than it was going to: it has the old key's own date.
    return await issueKey(deps, call, { name: old.name, expires_at: old.expires_at });
  }),
  route(revokeConsumerKey, async (deps, call) => {
    const row = await findKey(deps, call.params);
    if (row.revoked_at) return undefined;
    const revoked_at = deps.now().toISOString();
    await consumerKeyTable.update(deps.db, row.id, { revoked_at });
    await recordChange(deps, call, {
      resource: "consumer_key",
      verb: "revoke",
      id: row.id,
      gateway_id: call.params.gateway_id,
      before: shown(deps, row),
      after: shown(deps, { ...row, revoked_at }),
    });
    return undefined;
  }),
];

/** Makes a key of a consumer that is known to exist. */
async function issueKey(
  deps: Deps,
  call: Pick<Call<Place>, "params" | "actor" | "request_id" | "trace_id">,
  { name, expires_at }: { name: string; expires_at: string | null },
): Promise<ConsumerKey & { key: string }> {
  const key = newSecret("ag_");
  const row: ConsumerKeyRow = {
    id: deps.newId(),
    consumer_id: call.params.consumer_id,
    name,
    hash: secretHash(key),
    hint: secretHint(key),
    expires_at,
    revoked_at: null,
    last_used_at: null,
    created_at: deps.now().toISOString(),
  };
  await consumerKeyTable.insert(deps.db, row);
  await recordChange(deps, call, {
    resource: "consumer_key",
    verb: "create",
    id: row.id,
    gateway_id: call.params.gateway_id,
    before: null,
    after: shown(deps, row),
  });
  return { ...shown(deps, row), key };
}

function shown(deps: Deps, { hash: _, ...row }: ConsumerKeyRow): ConsumerKey {
  return { ...row, state: keyState(deps, row) };
}

async function findConsumer(deps: Deps, { gateway_id, consumer_id }: Place): Promise<void> {
  if (await consumerTable.find(deps.db, { id: consumer_id, gateway_id })) return;
  throw new AppError("not_found", `There is no consumer with the id ${consumer_id}.`);
}

async function findKey(deps: Deps, params: Place & { key_id: string }): Promise<ConsumerKeyRow> {
  await findConsumer(deps, params);
  const { consumer_id, key_id } = params;
  const row = await consumerKeyTable.lock(deps.db, { id: key_id, consumer_id });
  if (!row) throw new AppError("not_found", `There is no consumer key with the id ${key_id}.`);
  return row;
}
