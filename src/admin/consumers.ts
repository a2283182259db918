/** Operations on consumers. */

import { AppError } from "../contract/errors.ts";
import { type Consumer, type ConsumerInput, consumers } from "../contract/gateway/consumers.ts";
import { type ConsumerGuard, completeGuard, isOwnGuard } from "../contract/guard/guard-settings.ts";
import {
  attachedRegistries,
  type ConsumerRow,
  consumerTable,
  replaceAttachedRegistries,
} from "../db/tables/consumers.ts";
import { registryTable } from "../db/tables/registries.ts";
import type { Deps } from "../deps.ts";
import { newSlug } from "../lib/ids.ts";
import type { Route } from "../route.ts";
import { checkGuard } from "./check-guard.ts";
import { type ResourceDefinition, requireGateway, resourceRoutes } from "./resource-routes.ts";

const definition: ResourceDefinition<ConsumerRow, ConsumerInput, Consumer> = {
  table: consumerTable,
  id: "consumer_id",
  scopeOf: (params) => ({ gateway_id: params.gateway_id ?? "" }),
  requireParent: requireGateway,
  toReply: async (deps, row) => ({
    ...row,
    registries: (await attachedRegistries(deps.db, row.id)).get(row.id) ?? [],
  }),
  async toColumns(deps, { registries, ...input }, { gateway_id = "" }, before) {
    // `/beta/…` is a path of LiteLLM. A consumer that already has the slug keeps it.
    if (input.slug === "beta" && before?.slug !== "beta") {
      throw new AppError("validation_failed", "slug: is reserved");
    }
    await checkRegistries(deps, gateway_id, registries);
    const guard = mergeGuard(before?.guard ?? null, input.guard);
    if (isOwnGuard(guard)) await checkGuard(deps, guard, gateway_id);
    return { ...input, guard, slug: input.slug ?? newSlug() };
  },
  saveRelated: (deps, { registries }, id) =>
    replaceAttachedRegistries(deps.db, deps.newId, id, registries),
};

export const consumerRoutes: Route[] = resourceRoutes(consumers, definition);

/** A first guard must name its collector: without one, it would turn the gateway's guard off. */
function mergeGuard(before: ConsumerGuard, sent: ConsumerInput["guard"]): ConsumerGuard {
  if (sent === null) return null;
  const { off, ...patch } = sent;
  if (off) return { off };
  if (isOwnGuard(before)) return completeGuard(before, patch);
  if (patch.collector_id !== undefined) return completeGuard(patch);
  throw new AppError("validation_failed", "guard.collector_id: is required");
}

async function checkRegistries(
  deps: Deps,
  gateway_id: string,
  attached: ConsumerInput["registries"],
): Promise<void> {
  for (const [index, { id }] of attached.entries()) {
    if (await registryTable.find(deps.db, { id, gateway_id })) continue;
    throw new AppError(
      "validation_failed",
      `registries[${index}].id: is not a registry of this gateway`,
    );
  }
}
