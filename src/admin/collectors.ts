/** Operations on collectors, their policy overrides and their keys. */

import { AppError } from "../contract/errors.ts";
import { collectorKeys, serviceClients } from "../contract/guard/collector-keys.ts";
import {
  type Collector,
  type CollectorInput,
  collectors,
  listOverrides,
  removeOverride,
  setOverride,
} from "../contract/guard/collectors.ts";
import { isOwnGuard } from "../contract/guard/guard-settings.ts";
import { recordChange } from "../db/record-change.ts";
import { collectorTable, overrideTable } from "../db/tables/collectors.ts";
import { consumerTable } from "../db/tables/consumers.ts";
import { detectorTable } from "../db/tables/detectors.ts";
import { gatewayTable } from "../db/tables/gateways.ts";
import { collectorKeyTable, serviceClientTable } from "../db/tables/keys.ts";
import { policyVersionTable } from "../db/tables/policies.ts";
import type { Deps } from "../deps.ts";
import { newSlug } from "../lib/ids.ts";
import { type Actor, isOwner, type Route, route } from "../route.ts";
import { checkAllowPrivate } from "./check-allow-private.ts";
import { toDetectorReach } from "./detectors.ts";
import { keyRoutes } from "./key-routes.ts";
import { type ResourceDefinition, resourceRoutes } from "./resource-routes.ts";

/** Caps the names in an error message. */
const MAX_NAMED = 5;

const definition: ResourceDefinition<Collector, CollectorInput, Collector> = {
  table: collectorTable,
  id: "collector_id",
  scopeOf: () => ({}),
  toReply: (_, row) => row,
  // A version number belongs to one policy.
  defaultsOnUpdate: (row, { default_policy_id = row.default_policy_id }) =>
    default_policy_id === row.default_policy_id ? {} : { default_policy_version: null },
  async toColumns(deps, input) {
    const { gateway_id, default_policy_id, default_policy_version } = input;
    if (gateway_id && !(await gatewayTable.find(deps.db, { id: gateway_id }))) {
      throw new AppError("validation_failed", `gateway_id: unknown gateway ${gateway_id}`);
    }
    await checkPolicy(deps, default_policy_id, default_policy_version, "default_policy_");
    return { ...input, collector_key: input.collector_key ?? `col-${newSlug(12)}` };
  },
  async checkActor(deps, actor, next, before) {
    const { default_policy_id: policy_id, default_policy_version: number } = next;
    const isSame =
      policy_id === before?.default_policy_id && number === before.default_policy_version;
    if (!isSame) await checkPinnedReach(deps, actor, policy_id, number);
  },
  async checkRemovable(deps, { id }) {
    const gateways = (await gatewayTable.all(deps.db))
      .filter(({ guard }) => guard.collector_id === id)
      .map(({ name }) => `gateway "${name}"`);
    const consumers = (await consumerTable.all(deps.db))
      .filter(({ guard }) => isOwnGuard(guard) && guard.collector_id === id)
      .map(({ name }) => `consumer "${name}"`);
    const guarded = [...gateways, ...consumers];
    if (guarded.length === 0) return;
    const names = guarded.slice(0, MAX_NAMED).join(", ");
    const more = guarded.length > MAX_NAMED ? ` and ${guarded.length - MAX_NAMED} more` : "";
    throw new AppError(
      "has_dependents",
      `This collector is the guard of ${names}${more}. Set another guard first.`,
    );
  },
};

const findCollector = async (deps: Deps, { collector_id = "" }: Record<string, string>) => {
  const row = await collectorTable.find(deps.db, { id: collector_id });
  if (!row) throw new AppError("not_found", `Unknown collector ${collector_id}.`);
  return row;
};

export const collectorRoutes: Route[] = [
  ...resourceRoutes(collectors, definition),
  ...keyRoutes(collectorKeys, {
    table: collectorKeyTable,
    prefix: "pc_",
    findOwner: findCollector,
  }),
  ...keyRoutes(serviceClients, {
    table: serviceClientTable,
    prefix: "ps_",
    findOwner: findCollector,
  }),
  route(listOverrides, async (deps, { params, query }) => {
    const { id } = await findCollector(deps, params);
    return await overrideTable.page(deps.db, { collector_id: id }, query);
  }),
  route(setOverride, async (deps, call) => {
    const { id: collector_id, gateway_id } = await findCollector(deps, call.params);
    const consumer_id = readConsumerId(call.params);
    const { policy_id, policy_version } = call.body;
    await checkPolicy(deps, policy_id, policy_version, "policy_");
    await checkPinnedReach(deps, call.actor, policy_id, policy_version);
    const before = await overrideTable.lock(deps.db, { collector_id, consumer_id });
    const row = {
      id: before?.id ?? deps.newId(),
      collector_id,
      consumer_id,
      policy_id,
      policy_version,
      created_at: before?.created_at ?? deps.now().toISOString(),
    };
    if (before) await overrideTable.update(deps.db, row.id, row);
    else await overrideTable.insert(deps.db, row);
    await recordChange(deps, call, {
      resource: "override",
      verb: before ? "update" : "create",
      id: row.id,
      gateway_id,
      before: before ? { ...before } : null,
      after: row,
    });
    return row;
  }),
  route(removeOverride, async (deps, call) => {
    const { id: collector_id, gateway_id } = await findCollector(deps, call.params);
    const row = await overrideTable.lock(deps.db, {
      collector_id,
      consumer_id: readConsumerId(call.params),
    });
    if (!row)
      throw new AppError("not_found", "This collector has no override for the consumer_id.");
    await overrideTable.remove(deps.db, { id: row.id });
    const change = { resource: "override", verb: "delete", id: row.id } as const;
    await recordChange(deps, call, { ...change, gateway_id, before: { ...row }, after: null });
    return undefined;
  }),
];

function readConsumerId({ consumer = "" }: Record<string, string>): string {
  if (consumer.length <= 1024 && !consumer.includes("\0")) return consumer;
  throw new AppError(
    "validation_failed",
    "consumer_id: must have at most 1024 characters and no NUL",
  );
}

/** A pinned version has copies of detectors, and perhaps a permission that an owner has withdrawn since. */
async function checkPinnedReach(
  deps: Deps,
  actor: Actor,
  policy_id: string | null,
  number: number | null,
): Promise<void> {
  if (policy_id === null || number === null || isOwner(actor)) return;
  const version = await policyVersionTable.find(deps.db, { policy_id, number });
  for (const [id, copy] of Object.entries(version?.document.detectors ?? {})) {
    const current = await detectorTable.find(deps.db, { id });
    checkAllowPrivate(deps, actor, toDetectorReach(copy), current && toDetectorReach(current));
  }
}

/** Checks that the policy exists, and its pinned version if there is one. */
async function checkPolicy(
  deps: Deps,
  policy_id: string | null,
  number: number | null,
  prefix: "default_policy_" | "policy_",
): Promise<void> {
  if (policy_id === null) {
    if (number === null) return;
    throw new AppError("validation_failed", `${prefix}version: requires ${prefix}id`);
  }
  if (!(await policyVersionTable.find(deps.db, { policy_id, number: number ?? 1 }))) {
    const problem =
      number === null ? `id: unknown policy ${policy_id}` : `version: unknown version ${number}`;
    throw new AppError("validation_failed", `${prefix}${problem}`);
  }
}
