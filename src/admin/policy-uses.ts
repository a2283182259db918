/** Finds what uses a policy: collectors, overrides, and the guards of gateways and consumers. */
import type { Collector } from "../contract/guard/collectors.ts";
import { completeGuard, type GuardSettings, isOwnGuard } from "../contract/guard/guard-settings.ts";
import { listPolicyUses, type PolicyGuard, type PolicyUse } from "../contract/guard/policies.ts";
import { collectorTable, overrideTable } from "../db/tables/collectors.ts";
import { type ConsumerRow, consumerTable } from "../db/tables/consumers.ts";
import { type GatewayRow, gatewayTable } from "../db/tables/gateways.ts";
import type { Deps } from "../deps.ts";
import { route } from "../route.ts";
import { findPolicy } from "./policy-versions.ts";

export const policyUsesRoute = route(listPolicyUses, async (deps, { params: { policy_id } }) => {
  await findPolicy(deps, policy_id);
  return {
    items: await findUses(deps, policy_id),
    guards: await findGuards(deps, policy_id),
  };
});

/** Returns the collectors whose default it is, and the overrides of collectors. */
export async function findUses(deps: Deps, policy_id: string): Promise<PolicyUse[]> {
  const all = await collectorTable.all(deps.db);
  const names = new Map(all.map(({ id, name }) => [id, name]));
  const overrides = await overrideTable.all(deps.db, { policy_id });
  return [
    ...all
      .filter(({ default_policy_id }) => default_policy_id === policy_id)
      .map(({ id, name, default_policy_version }) => ({
        collector_id: id,
        collector_name: name,
        consumer_id: null,
        version: default_policy_version,
      })),
    ...overrides.map(({ collector_id, consumer_id, policy_version }) => ({
      collector_id,
      // Deleting a collector deletes its overrides.
      collector_name: names.get(collector_id) ?? "",
      consumer_id,
      version: policy_version,
    })),
  ];
}

/** Returns the guards that evaluate traffic with the policy: of gateways, and of consumers with a guard or override of their own. */
async function findGuards(deps: Deps, policy_id: string): Promise<PolicyGuard[]> {
  const collectors = new Map((await collectorTable.all(deps.db)).map((row) => [row.id, row]));
  const overrides = new Map(
    (await overrideTable.all(deps.db)).map((row) => [
      `${row.collector_id} ${row.consumer_id}`,
      row.policy_id,
    ]),
  );
  const consumers = Map.groupBy(await consumerTable.all(deps.db), ({ gateway_id }) => gateway_id);
  return (await gatewayTable.all(deps.db)).flatMap((gateway) => {
    const inherited = completeGuard(gateway.guard);
    const found: PolicyGuard[] = [];
    let inherited_by = 0;
    for (const consumer of consumers.get(gateway.id) ?? []) {
      const guard = consumer.guard ?? inherited;
      const collector = isOwnGuard(guard) && collectors.get(guard.collector_id ?? "");
      if (!collector) continue;
      const override = overrides.get(`${collector.id} ${consumer.id}`);
      if (consumer.guard === null && !override) inherited_by += 1;
      else if ((override ?? collector.default_policy_id) === policy_id) {
        found.push(toPolicyGuard(gateway, consumer, collector, guard));
      }
    }
    const collector = collectors.get(inherited.collector_id ?? "");
    if (collector?.default_policy_id !== policy_id) return found;
    const own = toPolicyGuard(gateway, null, collector, inherited);
    return [{ ...own, inherited_by }, ...found];
  });
}

const toPolicyGuard = (
  gateway: GatewayRow,
  consumer: ConsumerRow | null,
  collector: Collector,
  { llm, mcp }: GuardSettings,
): PolicyGuard => ({
  gateway_id: gateway.id,
  gateway_name: gateway.name,
  consumer: consumer && { id: consumer.id, name: consumer.name, slug: consumer.slug },
  collector_id: collector.id,
  collector_name: collector.name,
  llm,
  mcp,
  mcp_path: mcp.input || mcp.output ? `/${consumer?.slug ?? "me"}/mcp` : null,
  inherited_by: 0,
});
