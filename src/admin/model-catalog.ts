/** Lists the model catalog. */
import {
  type CatalogModel,
  listModelCatalog,
  type MODEL_SORTS,
} from "../contract/gateway/model-catalog.ts";
import { SHIPPED_MODELS } from "../contract/gateway/shipped-models.ts";
import { paginate } from "../paginate.ts";
import { type Route, route } from "../route.ts";

export const modelCatalogRoutes: Route[] = [
  route(listModelCatalog, (_deps, { query }) => {
    const { q = "", provider, mode, sort } = query;
    const text = q.toLowerCase();
    const found = SHIPPED_MODELS.filter(
      (entry) =>
        (provider === undefined || entry.provider === provider) &&
        (mode === undefined || entry.mode === mode) &&
        `${entry.id} ${entry.name}`.toLowerCase().includes(text),
    );
    return paginate(sortModels(found, sort), query, ({ id }) => id);
  }),
];

const SORT_KEYS: Record<
  (typeof MODEL_SORTS)[number],
  (entry: CatalogModel) => string | number | null
> = {
  id: ({ id }) => id,
  name: ({ name }) => name.toLowerCase(),
  context_window: ({ context_window }) => context_window,
  max_output: ({ max_output }) => max_output,
  input_price: ({ prices }) => prices?.input ?? null,
  output_price: ({ prices }) => prices?.output ?? null,
  retires_on: ({ retires_on }) => retires_on,
};

/** Unknown values are last in both directions; equal values are sorted by id. */
function sortModels(models: CatalogModel[], sort: string): CatalogModel[] {
  const isDescending = sort.startsWith("-");
  // The schema allows only these names.
  const name = (isDescending ? sort.slice(1) : sort) as (typeof MODEL_SORTS)[number];
  const keyOf = SORT_KEYS[name];
  return models.toSorted((one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)];
    if (a === b) return one.id < other.id ? -1 : 1;
    if (a === null || b === null) return a === null ? 1 : -1;
    return a < b === isDescending ? 1 : -1;
  });
}
