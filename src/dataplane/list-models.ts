/** Lists the models of a consumer from the configuration, without a request to an upstream. */
import { AppError } from "../contract/errors.ts";
import type { ConsumerView } from "../snapshot/snapshot.ts";
import type { AuthenticatedRequest } from "./stages.ts";

interface ModelCard {
  id: string;
  object: "model";
  /** Unix seconds: creation time of the registry, because that of the model is unknown. */
  created: number;
  owned_by: string;
}

export function listModels({
  consumer,
  item,
}: AuthenticatedRequest): ModelCard | { object: "list"; data: ModelCard[] } {
  const cards = buildModelCards(consumer);
  if (item === undefined) return { object: "list", data: cards };
  const card = cards.find(({ id }) => id === item);
  if (!card) {
    throw new AppError("not_found", "Unknown model. GET /v1/models lists the consumer's models.");
  }
  return card;
}

/**
 * Returns the names in allow-lists, or the provider's and the mapped names without an allow-list, and the defaults.
 * Skips patterns. Of several registries with the same name, the first is its owner.
 */
function buildModelCards({ registries }: ConsumerView): ModelCard[] {
  const cards = new Map<string, ModelCard>();
  for (const { registry, models } of registries) {
    if (!registry.enabled) continue;
    const { kind, models: own = [] } = registry.provider;
    const known = models.allowed ?? [...own, ...Object.keys(models.map ?? {})];
    const names = [...known, ...(models.default ? [models.default] : [])];
    for (const id of names) {
      if (id.includes("*") || cards.has(id)) continue;
      cards.set(id, { id, object: "model", created: registry.created, owned_by: kind });
    }
  }
  return [...cards.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}
