/** Finds the models that a consumer can use: names that its registries know and that routing accepts. */
import type { ModelPolicy } from "../contract/consumers.ts";
import type { CatalogModel } from "../contract/model-catalog.ts";
import type { Capability } from "../contract/registries.ts";
import { findShippedModel, SHIPPED_MODELS } from "../contract/shipped-models.ts";
import type { Deps } from "../deps.ts";
import type { ListedModel } from "../providers/read-model-page.ts";
import type { AttachedView, ConsumerView, RegistryView } from "../snapshot/snapshot.ts";
import { evaluateRegistry } from "./choose-registries.ts";
import { getLiveState, getRegistryState } from "./live-state.ts";
import { mapModel } from "./map-model.ts";
import { refreshModelList } from "./model-list.ts";
import { parseModelReference } from "./model-reference.ts";

export interface UsableModel {
  /** Name that the client sends. */
  id: string;
  display_name: string;
  /** Unix seconds: of the model, or of the registry if that is unknown. */
  created: number;
  /** Registries that accept it, in attach order, with the model that each of them receives. */
  routes: { registry: RegistryView; model: string }[];
  /** Capabilities with which at least one of them accepts it. */
  capabilities: Set<Capability>;
  retires_on: string | undefined;
  catalog: CatalogModel | undefined;
}

/** Capabilities of requests that name a model of each mode. */
const MODE_CAPABILITIES: Record<CatalogModel["mode"], readonly Capability[]> = {
  chat: ["chat", "responses", "messages", "generate_content"],
  embedding: ["embeddings"],
  image: ["images"],
  speech: ["audio_speech"],
  transcription: ["audio_transcription"],
};
/** Capabilities of requests that name a model that the catalog does not contain. */
const MODEL_CAPABILITIES: readonly Capability[] = [
  ...Object.values(MODE_CAPABILITIES).flat(),
  "completions",
  "moderations",
  "rerank",
];

interface CacheEntry {
  /** Lists from which the models were computed. */
  lists: readonly (readonly ListedModel[] | undefined)[];
  models: readonly UsableModel[];
}

/** Keyed by consumers of immutable snapshots: an entry is collected together with its snapshot. */
const computed = new WeakMap<ConsumerView, CacheEntry>();

/** Returns them sorted by id. Waits only for lists that have never been fetched, a bounded time. */
export async function findUsableModels(
  deps: Deps,
  consumer: ConsumerView,
): Promise<readonly UsableModel[]> {
  const live = getLiveState(deps);
  const listed = consumer.registries.filter(needsList).map(({ registry }) => registry);
  await Promise.all(
    listed.map((registry) =>
      refreshModelList(deps, registry, getRegistryState(live, registry).model_list),
    ),
  );
  const lists = consumer.registries.map(
    ({ registry }) => getRegistryState(live, registry).model_list.models,
  );
  const known = computed.get(consumer);
  if (known?.lists.every((list, index) => list === lists[index])) return known.models;
  const models = compute(consumer, lists, deps.now());
  computed.set(consumer, { lists, models });
  return models;
}

/** An allow-list without patterns is the list. */
const needsList = ({ registry, models }: AttachedView): boolean =>
  registry.enabled &&
  registry.problem === undefined &&
  (models.allowed?.some((entry) => entry.includes("*")) ?? true);

function compute(consumer: ConsumerView, lists: CacheEntry["lists"], now: Date): UsableModel[] {
  const found = new Map<string, UsableModel>();
  consumer.registries.forEach((attached, index) => {
    const list = lists[index] ?? listShippedModels(attached, now);
    const upstream = new Map(list.map((model) => [model.id, model]));
    for (const name of listNames(attached.models, upstream.keys().toArray())) {
      addModel(found, attached, name, upstream.get(mapModel(attached.models, name)));
    }
  });
  for (const name of consumer.fallbacks) {
    if (found.has(name)) continue;
    for (const attached of consumer.registries) addModel(found, attached, name, undefined);
  }
  return [...found.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Returns the models of the catalog, for a registry whose list is unavailable. */
function listShippedModels({ registry }: AttachedView, now: Date): Pick<ListedModel, "id">[] {
  const today = now.toISOString().slice(0, 10);
  return SHIPPED_MODELS.filter(
    ({ provider, retires_on }) =>
      provider === registry.provider.kind && (retires_on === null || retires_on > today),
  ).map(({ model }) => ({ id: model }));
}

/** Returns the names that clients can send: those of the configuration, and those that reach a model of the upstream. */
function listNames({ allowed = [], map = {}, ...models }: ModelPolicy, upstream: string[]) {
  const keys = Object.keys(map);
  const names = [...allowed, ...keys, ...(models.default ? [models.default] : [])];
  const literal = names.filter((name) => !name.includes("*"));
  const patterns = Object.entries(map).filter(
    ([key, target]) => key.endsWith("*") && target.endsWith("*"),
  );
  const policy: ModelPolicy = { map };
  const reached = upstream.flatMap((model) => {
    const aliases = patterns
      .filter(([, target]) => model.startsWith(target.slice(0, -1)))
      .map(([key, target]) => key.slice(0, -1) + model.slice(target.length - 1));
    return [model, ...aliases].filter((name) => mapModel(policy, name) === model);
  });
  return new Set([...literal, ...reached]);
}

/** Adds the model, or another registry of it, if the registry accepts it. */
function addModel(
  found: Map<string, UsableModel>,
  attached: AttachedView,
  name: string,
  listed: Partial<ListedModel> | undefined,
): void {
  const { registry } = attached;
  const sent = mapModel(attached.models, name);
  const catalog = findShippedModel(registry.provider.kind, sent);
  const possible = catalog ? MODE_CAPABILITIES[catalog.mode] : MODEL_CAPABILITIES;
  const accepted = filterCapabilities(attached, name, possible);
  if (accepted.length === 0) return;
  const model = found.get(name) ?? {
    id: name,
    display_name: listed?.display_name ?? catalog?.name ?? name,
    created: listed?.created ?? registry.created,
    routes: [],
    capabilities: new Set(),
    retires_on: listed?.retires_on ?? catalog?.retires_on ?? undefined,
    catalog,
  };
  model.routes.push({ registry, model: sent });
  for (const capability of accepted) model.capabilities.add(capability);
  found.set(name, model);
}

/** Returns the capabilities with which the registry accepts a request that names the model. */
function filterCapabilities(
  attached: AttachedView,
  name: string,
  possible: readonly Capability[],
): Capability[] {
  // `auto` and `@provider/…` have another meaning than the name of a model.
  const model = name.startsWith("@") ? undefined : parseModelReference(name);
  if (model?.kind !== "named") return [];
  const criteria = {
    model,
    additional_models: [],
    pin: undefined,
    batch_models: [],
    starts_file_batch: false,
    object_registry_id: undefined,
  };
  return possible.filter(
    (capability) => typeof evaluateRegistry(attached, { ...criteria, capability }) !== "string",
  );
}
