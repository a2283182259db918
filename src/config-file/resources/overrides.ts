/** Policy overrides of a collector in a configuration file. */
import { perform } from "../../admin/perform.ts";
import { removeOverride, setOverride } from "../../contract/guard/collectors.ts";
import { overrideTable } from "../../db/tables/collectors.ts";
import { type ConfigResource, diffItems, removeItem } from "../config-resource.ts";
import { loadNames, resolveName } from "../references.ts";
import { ConfigOverride } from "../schema.ts";

export const overrides: ConfigResource<ConfigOverride> = {
  noun: "override",
  list: "overrides",
  id: "consumer",
  schema: ConfigOverride,
  async current(deps) {
    const policies = await loadNames(deps, "policy");
    return (await overrideTable.all(deps.db)).map(
      ({ collector_id, consumer_id, policy_id, policy_version }) => ({
        id: consumer_id,
        parent_id: collector_id,
        item: { consumer_id, policy: policies.get(policy_id) ?? "", policy_version },
      }),
    );
  },
  identity: ({ consumer_id }) => consumer_id,
  diff: diffItems,
  async save({ deps, actor }, parent, { consumer_id: consumer, policy, policy_version }) {
    const policy_id = await resolveName(deps, "policy", policy, "policy");
    const body = { policy_id, policy_version };
    await perform(deps, actor, setOverride, { params: { ...parent, consumer }, body });
    return consumer;
  },
  remove: (context, params) => removeItem(context, removeOverride, params),
};
