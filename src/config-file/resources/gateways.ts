/** Gateways in a configuration file. */
import { perform } from "../../admin/perform.ts";
import { pickInput } from "../../admin/pick-input.ts";
import { gateways as endpoints, GatewayInput } from "../../contract/gateway/gateways.ts";
import { collectors } from "../../contract/guard/collectors.ts";
import { completeGuard } from "../../contract/guard/guard-settings.ts";
import { collectorTable } from "../../db/tables/collectors.ts";
import { gatewayTable } from "../../db/tables/gateways.ts";
import { diffItems, removeItem } from "../config-resource.ts";
import { crudResource } from "../crud-resource.ts";
import { NEW_GUARD, toConfigGuard, toGuardPatch } from "../guard-member.ts";
import { loadNames } from "../references.ts";
import { ConfigGateway } from "../schema.ts";
import { accessRules } from "./access-rules.ts";
import { catalogEntries } from "./catalog-entries.ts";
import { consumers } from "./consumers.ts";
import { issuers } from "./issuers.ts";
import { principalTokens } from "./principal-tokens.ts";
import { registries } from "./registries.ts";

type Item = Pick<ConfigGateway, keyof GatewayInput>;

const withoutGuard = ({ guard: _, ...item }: Item) => item;

export const gateways = crudResource({
  list: "gateways",
  schema: ConfigGateway,
  endpoints,
  table: gatewayTable,
  // An instance may belong to a catalog entry, and a consumer uses registries.
  children: [catalogEntries, accessRules, issuers, principalTokens, registries, consumers],
  isDeletedFirst: true,
  async reader(deps) {
    const names = await loadNames(deps, "collector");
    return (row): Item => ({
      ...pickInput(GatewayInput, row),
      slug: row.slug,
      guard: toConfigGuard(completeGuard(row.guard), names),
    });
  },
  identity: ({ slug }) => slug,
  diff: (before, after) => diffItems(before && withoutGuard(before), withoutGuard(after)),
  toBody: (_, item) => withoutGuard(item),
  /** Deleting a gateway deletes its collectors, except those that the file lists elsewhere. */
  async remove(context, params) {
    const { deps, actor, config } = context;
    const listed = new Set(config.collectors?.map(({ name }) => name));
    for (const { id, name } of await collectorTable.all(deps.db, params)) {
      if (!listed.has(name)) continue;
      const detached = { params: { collector_id: id }, body: { gateway_id: null } };
      await perform(deps, actor, collectors.update, detached);
    }
    await removeItem(context, endpoints.remove, params);
  },
  /** The collector of the guard may belong to the gateway, so it is saved after it. */
  late: {
    diff: (before, { guard }) =>
      guard ? diffItems({ guard: before?.guard ?? NEW_GUARD }, { guard }) : [],
    async save({ deps, actor }, params, { guard = NEW_GUARD }) {
      const body = { guard: await toGuardPatch(deps, guard) };
      await perform(deps, actor, endpoints.update, { params, body });
    },
  },
});
