/** Which models may a consumer name? Answered from the configuration, without asking an upstream. */
import { AppError } from "../contract/errors.ts";
import type { ConsumerView } from "../snapshot/snapshot.ts";
import type { AuthenticatedRequest } from "./stages.ts";

interface ModelCard {
  id: string;
  object: "model";
  /** Unix seconds: when its registry was created, the only time that is known here. */
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
  if (!card) throw new AppError("not_found", "This consumer lists no such model.");
  return card;
}

/**
 * Lists names from allow-lists, or the provider's own where there is none, and defaults; a pattern is not a
 * name. The first registry that has a name owns it.
 */
function buildModelCards({ registries }: ConsumerView): ModelCard[] {
  const cards = new Map<string, ModelCard>();
  for (const { registry, models } of registries) {
    if (!registry.enabled) continue;
    const { kind, models: own = [] } = registry.provider;
    const names = [...(models.allowed ?? own), ...(models.default ? [models.default] : [])];
    for (const id of names) {
      if (id.includes("*") || cards.has(id)) continue;
      cards.set(id, { id, object: "model", created: registry.created, owned_by: kind });
    }
  }
  return [...cards.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}
