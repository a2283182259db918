/** Lists the models that a consumer can use for administrators, with the data of the catalog. */
import { listConsumerModels } from "../../contract/gateway/model-catalog.ts";
import { paginate } from "../../paginate.ts";
import { type Route, route } from "../../route.ts";
import { requireConsumer } from "../../snapshot/find-consumer.ts";
import { findUsableModels } from "./find-usable-models.ts";

export const consumerModelRoutes: Route[] = [
  route(listConsumerModels, async (deps, { params, query }) => {
    const models = await findUsableModels(deps, requireConsumer(deps.snapshot(), params));
    const text = (query.q ?? "").toLowerCase();
    const found = models.filter(({ id, display_name }) =>
      `${id} ${display_name}`.toLowerCase().includes(text),
    );
    const { items, next_cursor } = paginate(found, query, ({ id }) => id);
    return {
      items: items.map(({ id, display_name, capabilities, routes, retires_on, catalog }) => ({
        id,
        name: display_name,
        capabilities: [...capabilities],
        registries: routes.map(({ registry, model }) => ({
          id: registry.id,
          name: registry.name,
          provider: registry.provider.kind,
          model,
        })),
        retires_on: retires_on ?? null,
        catalog: catalog ?? null,
      })),
      next_cursor,
    };
  }),
];
