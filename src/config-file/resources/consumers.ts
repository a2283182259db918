/** Consumers of a gateway in a configuration file. */
import { pickInput } from "../../admin/pick-input.ts";
import { ConsumerInput, consumers as endpoints } from "../../contract/consumers.ts";
import { attachedRegistries, consumerTable } from "../../db/tables/consumers.ts";
import { registryTable } from "../../db/tables/registries.ts";
import { crudResource } from "../crud-resource.ts";
import { unknownName } from "../references.ts";
import { ConfigConsumer } from "../schema.ts";
import { consumerKeys } from "./consumer-keys.ts";

export const consumers = crudResource({
  list: "consumers",
  schema: ConfigConsumer,
  endpoints,
  table: consumerTable,
  parent: "gateway_id",
  children: [consumerKeys],
  isDeletedFirst: true,
  async reader({ db }) {
    const names = new Map((await registryTable.all(db)).map(({ id, name }) => [id, name]));
    const attached = await attachedRegistries(db);
    return (row) => ({
      ...pickInput(ConsumerInput, row),
      slug: row.slug,
      registries: (attached.get(row.id) ?? []).map(({ id, ...entry }) => ({
        registry: names.get(id) ?? "",
        ...entry,
      })),
    });
  },
  identity: ({ slug }) => slug,
  async toBody({ db }, item, parent) {
    const ids = new Map((await registryTable.all(db, parent)).map(({ id, name }) => [name, id]));
    const registries = item.registries.map(({ registry, ...entry }, index) => {
      const id = ids.get(registry);
      if (!id) throw unknownName(`registries[${index}].registry`, "registry", registry);
      return { id, ...entry };
    });
    return { ...item, registries };
  },
});
