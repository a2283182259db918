/** Collectors in a configuration file. */
import { perform } from "../../admin/perform.ts";
import { pickInput } from "../../admin/pick-input.ts";
import { CollectorInput, collectors as endpoints } from "../../contract/collectors.ts";
import { gateways } from "../../contract/gateways.ts";
import { collectorTable } from "../../db/tables/collectors.ts";
import { gatewayTable } from "../../db/tables/gateways.ts";
import { removeItem } from "../config-resource.ts";
import { crudResource } from "../crud-resource.ts";
import { loadNames, resolveName } from "../references.ts";
import { ConfigCollector } from "../schema.ts";
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
  /** Removes it first from the guard of each gateway that the file deletes or guards otherwise. */
  async remove(context, params, { name }) {
    const { deps, actor, config } = context;
    for (const { id, slug, guard } of await gatewayTable.all(deps.db)) {
      if (guard.collector_id !== params.collector_id) continue;
      const listed = config.gateways.find((gateway) => gateway.slug === slug);
      const isKept = listed && (!listed.guard || listed.guard.collector === name);
      if (isKept) continue;
      const body = { guard: { collector_id: null } };
      await perform(deps, actor, gateways.update, { params: { gateway_id: id }, body });
    }
    await removeItem(context, endpoints.remove, params);
  },
});
