/** Collectors in a configuration file. */
import { perform } from "../../admin/perform.ts";
import { pickInput } from "../../admin/pick-input.ts";
import { consumers } from "../../contract/gateway/consumers.ts";
import { gateways } from "../../contract/gateway/gateways.ts";
import { CollectorInput, collectors as endpoints } from "../../contract/guard/collectors.ts";
import { isOwnGuard } from "../../contract/guard/guard-settings.ts";
import { collectorTable } from "../../db/tables/collectors.ts";
import { consumerTable } from "../../db/tables/consumers.ts";
import { gatewayTable } from "../../db/tables/gateways.ts";
import { removeItem, type StepContext } from "../config-resource.ts";
import { crudResource } from "../crud-resource.ts";
import { loadNames, resolveName } from "../references.ts";
import { ConfigCollector, type ConfigConsumerGuard, type ConfigGuard } from "../schema.ts";
import { collectorKeys } from "./collector-keys.ts";
import { overrides } from "./overrides.ts";
import { serviceClients } from "./service-clients.ts";

export const collectors = crudResource({
  list: "collectors",
  schema: ConfigCollector,
  endpoints,
  table: collectorTable,
  children: [overrides, collectorKeys, serviceClients],
  isDeletedFirst: true,
  async reader(deps) {
    const slugs = await loadNames(deps, "gateway");
    const policies = await loadNames(deps, "policy");
    return (row) => {
      const { gateway_id, default_policy_id, ...item } = pickInput(CollectorInput, row);
      const gateway = slugs.get(gateway_id ?? "") ?? null;
      return { ...item, gateway, default_policy: policies.get(default_policy_id ?? "") ?? null };
    };
  },
  identity: ({ name }) => name,
  toBody: async (deps, { gateway, default_policy: policy, ...item }) => ({
    ...item,
    gateway_id: gateway && (await resolveName(deps, "gateway", gateway, "gateway")),
    default_policy_id: policy && (await resolveName(deps, "policy", policy, "default_policy")),
  }),
  /** Removes it first from each guard whose gateway or consumer the file deletes or guards otherwise. */
  async remove(context, params, { name }) {
    await clearGuards(context, params.collector_id, name);
    await removeItem(context, endpoints.remove, params);
  },
});

async function clearGuards(
  { deps, actor, config }: StepContext,
  collector_id: string | undefined,
  name: string,
): Promise<void> {
  const isKept = ({ guard }: { guard?: ConfigGuard | ConfigConsumerGuard | undefined }) =>
    guard === undefined || (guard !== null && "collector" in guard && guard.collector === name);
  for (const { id, slug, guard } of await gatewayTable.all(deps.db)) {
    const listed = config.gateways.find((gateway) => gateway.slug === slug);
    if (guard.collector_id !== collector_id || (listed && isKept(listed))) continue;
    const body = { guard: { collector_id: null } };
    await perform(deps, actor, gateways.update, { params: { gateway_id: id }, body });
  }
  const listedConsumers = config.gateways.flatMap(({ consumers }) => consumers);
  for (const { id, gateway_id, slug, guard } of await consumerTable.all(deps.db)) {
    const listed = listedConsumers.find((consumer) => consumer.slug === slug);
    const isUsing = isOwnGuard(guard) && guard.collector_id === collector_id;
    if (!isUsing || (listed && isKept(listed))) continue;
    const body = { guard: null };
    await perform(deps, actor, consumers.update, { params: { gateway_id, consumer_id: id }, body });
  }
}
