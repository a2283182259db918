/** Finds the models that a consumer can use: names that its registries know and that routing accepts. */
import type { ModelPolicy } from "../../contract/gateway/consumers.ts";
import type { CatalogModel } from "../../contract/gateway/model-catalog.ts";
import type { Capability } from "../../contract/gateway/registries.ts";
import { findShippedModel, SHIPPED_MODELS } from "../../contract/gateway/shipped-models.ts";
import type { Deps } from "../../deps.ts";
import type { ListedModel } from "../../providers/read-model-page.ts";
import type { AttachedView, ConsumerView, RegistryView } from "../../snapshot/snapshot.ts";
import { getLiveState, getRegistryState } from "../live-state.ts";
import { evaluateRegistry } from "../routing/evaluate-registry.ts";
import { isModelAllowed } from "./is-model-allowed.ts";
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
  /** Pending while they are computed, so that concurrent requests compute them once. */
  models: Promise<readonly UsableModel[]>;
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
  if (known?.lists.every((list, index) => list === lists[index])) return await known.models;
  const models = compute(consumer, lists, deps.now());
  computed.set(consumer, { lists, models });
  return await models;
}

/** An allow-list without patterns is the list. */
const needsList = ({ registry, models }: AttachedView): boolean =>
  registry.enabled &&
  registry.problem === undefined &&
  (models.allowed?.some((entry) => entry.includes("*")) ?? true);

async function compute(
  consumer: ConsumerView,
  lists: CacheEntry["lists"],
  now: Date,
): Promise<UsableModel[]> {
  const found = new Map<string, UsableModel>();
  let count = 0;
  for (const [index, attached] of consumer.registries.entries()) {
    const list = lists[index] ?? listShippedModels(attached, now);
    const upstream = new Map(list.map((model) => [model.id, model]));
    for (const name of listNames(attached.models, upstream.keys())) {
      // Lets other requests run: lists and allow-lists may be long.
      if (++count % 100 === 0) await new Promise(setImmediate);
      addModel(found, attached, name, upstream.get(mapModel(attached.models, name)));
    }
  }
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
function listNames(policy: ModelPolicy, upstream: Iterable<string>): Set<string> {
  const { allowed = [], map = {}, default: fallback } = policy;
  const configured = [...allowed, ...Object.keys(map), ...(fallback ? [fallback] : [])];
  const names = new Set(configured.filter((name) => !name.includes("*")));
  const patterns = Object.entries(map)
    .filter(([key, target]) => key.endsWith("*") && target.endsWith("*"))
    .map(([key, target]) => ({ prefix: key.slice(0, -1), target: target.slice(0, -1) }));
  let aliases = 0;
  for (const model of upstream) {
    if (mapModel(policy, model) === model) names.add(model);
    for (const { prefix, target } of patterns) {
      if (!model.startsWith(target) || ++aliases > MAX_ALIASES) continue;
      const alias = prefix + model.slice(target.length);
      if (mapModel(policy, alias) === model) names.add(alias);
    }
  }
  return names;
}

/** Maximum aliases of a registry, so that a map with many patterns cannot block the program. */
const MAX_ALIASES = 10_000;

/** Adds the model, or another registry of it, if the registry accepts it. */
function addModel(
  found: Map<string, UsableModel>,
  attached: AttachedView,
  name: string,
  listed: Partial<ListedModel> | undefined,
): void {
  const { registry, models } = attached;
  if (!isModelAllowed(models, name)) return;
  const sent = mapModel(models, name);
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
