/** Consumers of a gateway in a configuration file. */
import type { z } from "zod";
import { perform } from "../../admin/perform.ts";
import { pickInput } from "../../admin/pick-input.ts";
import { ConsumerInput, consumers as endpoints } from "../../contract/gateway/consumers.ts";
import { isOwnGuard } from "../../contract/guard/guard-settings.ts";
import { attachedRegistries, consumerTable } from "../../db/tables/consumers.ts";
import { registryTable } from "../../db/tables/registries.ts";
import type { Deps } from "../../deps.ts";
import { diffItems } from "../config-resource.ts";
import { crudResource } from "../crud-resource.ts";
import { toConfigGuard, toGuardPatch } from "../guard-member.ts";
import { loadNames, unknownName } from "../references.ts";
import { ConfigConsumer, type ConfigConsumerGuard } from "../schema.ts";
import { consumerKeys } from "./consumer-keys.ts";

type Item = Omit<z.infer<typeof ConfigConsumer>, "keys">;

const withoutGuard = ({ guard: _, ...item }: Item) => item;

export const consumers = crudResource({
  list: "consumers",
  schema: ConfigConsumer,
  endpoints,
  table: consumerTable,
  parent: "gateway_id",
  children: [consumerKeys],
  isDeletedFirst: true,
  async reader(deps) {
    const { db } = deps;
    const collectors = await loadNames(deps, "collector");
    const names = new Map((await registryTable.all(db)).map(({ id, name }) => [id, name]));
    const attached = await attachedRegistries(db);
    return (row): Item => ({
      ...pickInput(ConsumerInput, row),
      slug: row.slug,
      registries: (attached.get(row.id) ?? []).map(({ id, ...entry }) => ({
        registry: names.get(id) ?? "",
        ...entry,
      })),
      guard: isOwnGuard(row.guard)
        ? { off: false, ...toConfigGuard(row.guard, collectors) }
        : row.guard,
    });
  },
  identity: ({ slug }) => slug,
  diff: (before, after) => diffItems(before && withoutGuard(before), withoutGuard(after)),
  async toBody({ db }, item, parent) {
    const ids = new Map((await registryTable.all(db, parent)).map(({ id, name }) => [name, id]));
    const registries = item.registries.map(({ registry, ...entry }, index) => {
      const id = ids.get(registry);
      if (!id) throw unknownName(`registries[${index}].registry`, "registry", registry);
      return { id, ...entry };
    });
    return { ...withoutGuard(item), registries };
  },
  /** The collector of the guard may belong to the gateway, so it is saved after it. */
  late: {
    diff: (before, { guard }) =>
      guard === undefined ? [] : diffItems({ guard: before?.guard ?? null }, { guard }),
    async save({ deps, actor }, params, { guard = null }) {
      const body = { guard: guard && (await toBodyGuard(deps, guard)) };
      await perform(deps, actor, endpoints.update, { params, body });
    },
  },
});

const toBodyGuard = async (deps: Deps, { off, ...guard }: NonNullable<ConfigConsumerGuard>) =>
  "collector" in guard ? await toGuardPatch(deps, guard) : { off };
