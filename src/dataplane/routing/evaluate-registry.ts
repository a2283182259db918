/** Decides whether a registry can handle a request, and with which model and API format (spec 4.7.1). */
import { AppError } from "../../contract/errors.ts";
import type { ExclusionReason } from "../../contract/gateway/explain.ts";
import { type Capability, OBJECT_CAPABILITIES } from "../../contract/gateway/registries.ts";
import { inboundDialects, outboundDialects } from "../../dialects/all.ts";
import { listCapabilities } from "../../providers/provider.ts";
import type { AttachedView, RegistryView } from "../../snapshot/snapshot.ts";
import { isModelAllowed } from "../models/is-model-allowed.ts";
import { mapModel } from "../models/map-model.ts";
import { type ModelReference, parseProviderName } from "../models/model-reference.ts";

export interface Candidate {
  registry: RegistryView;
  weight: number;
  /** That of the client's endpoint, or the API format that the request is translated to. */
  capability: Capability;
  /** Model to send upstream, if any. */
  model: string | undefined;
  /** Maps the models of a batch of messages. */
  mapModel?: (model: string) => string;
}

/** Requirements of one request that a registry must meet. */
export interface RoutingCriteria {
  capability: Capability;
  model: ModelReference;
  /** Models that the body names besides `model`; each must be allowed, and sent unchanged. */
  additional_models: readonly string[];
  batch_models: readonly string[];
  /** The request starts a batch whose models are in a file. */
  starts_file_batch: boolean;
  pin: RegistryPin | undefined;
  /** Registry that stores the consumer's own objects; undefined with shared scope or without objects. */
  object_registry_id: string | undefined;
}

export type RegistryPin = { provider: string } | { registry: string };

/** Reason to exclude a registry regardless of its health. */
export type StaticExclusion = Exclude<ExclusionReason, "unhealthy">;

/** Returns the candidate, or the reason to exclude the registry before load balancing (spec 4.7.1). */
export function evaluateRegistry(
  attached: AttachedView,
  criteria: RoutingCriteria,
): Candidate | StaticExclusion {
  const { registry, weight, models } = attached;
  if (!registry.enabled) return "disabled";
  if (registry.problem !== undefined) return "unusable";
  if (!matchesPin(registry, criteria)) return "not_pinned";
  const capability = selectCapability(registry, criteria.capability);
  const operation = capability && registry.provider.operations[capability];
  if (!capability || !operation) return "capability";
  if (criteria.object_registry_id !== undefined && registry.id !== criteria.object_registry_id) {
    return "file_elsewhere";
  }
  // For stored objects a model only pins (spec 4.6).
  if (OBJECT_CAPABILITIES.has(capability)) return evaluateObjects(attached, criteria);

  const inPath = operation.modelInPath?.(registry.upstream) ?? false;
  const fallback = operation.hasDefaultModel ? undefined : models.default;
  const model = selectModel(fallback, criteria.model);
  if (model === undefined) {
    if (models.allowed || criteria.model.kind === "auto") return "no_default";
    if (models.map && criteria.model.kind === "opaque") return "model_not_allowed";
    if (inPath) return "needs_model";
  } else if (!isModelAllowed(models, model)) return "model_not_allowed";
  // Only `model` is mapped: other members must not name a model that the map replaces.
  if (!criteria.additional_models.every((name) => isUnmapped(models, name))) {
    return "model_not_allowed";
  }
  const sent = model === undefined ? undefined : mapModel(models, model);
  if (sent !== undefined && inPath && UNSAFE_IN_PATH.test(sent)) return "model_name";
  return { registry, weight, capability, model: sent };
}

/** Returns the client's own API format if the registry supports it, else one to translate to. */
const selectCapability = (registry: RegistryView, own: Capability): Capability | undefined =>
  registry.provider.operations[own] && registry.capabilities.has(own)
    ? own
    : findOutboundDialect(registry, own);

/** Returns the format to translate to: the first one of the provider. Undefined if the endpoint is not translated. */
function findOutboundDialect(
  { provider, capabilities }: RegistryView,
  inbound: Capability,
): Capability | undefined {
  if (!inboundDialects[inbound]) return undefined;
  return listCapabilities(provider).find(
    (name) => outboundDialects[name] && capabilities.has(name),
  );
}

/** Checks the models of a batch; other requests for stored objects have none. */
function evaluateObjects(
  { registry, weight, models }: AttachedView,
  { capability, starts_file_batch, batch_models, additional_models }: RoutingCriteria,
): Candidate | StaticExclusion {
  if (starts_file_batch && (models.allowed || models.map)) return "batch_file";
  const isAllowed =
    batch_models.every((name) => isModelAllowed(models, name)) &&
    additional_models.every((name) => isUnmapped(models, name));
  if (!isAllowed) return "model_not_allowed";
  const candidate = { registry, weight, capability, model: undefined };
  if (batch_models.length === 0 || !models.map) return candidate;
  return { ...candidate, mapModel: (name) => mapModel(models, name) };
}

const isUnmapped = (models: AttachedView["models"], name: string): boolean =>
  isModelAllowed(models, name) && mapModel(models, name) === name;

function matchesPin(registry: RegistryView, { model, pin }: RoutingCriteria): boolean {
  if (model.kind === "pinned" && registry.provider.kind !== model.provider) return false;
  if (!pin) return true;
  if ("provider" in pin) return registry.provider.kind === pin.provider;
  return registry.id === pin.registry || registry.name === pin.registry;
}

function selectModel(fallback: string | undefined, reference: ModelReference): string | undefined {
  if (reference.kind === "named" || reference.kind === "pinned") return reference.model;
  return reference.kind === "opaque" ? undefined : fallback;
}

/** Characters that would change the upstream path, which is requested with the registry's credential. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it rejects them
const UNSAFE_IN_PATH = /[/?#\\\u0000-\u001f\u007f]|\.\.|^\.$/;

/** Parses X-AG-Pin: a registry's id or name, or `@provider`. */
export function parsePin(text: string | undefined): RegistryPin | undefined {
  if (text === undefined) return undefined;
  if (!text.startsWith("@")) return { registry: text };
  const provider = parseProviderName(text.slice(1));
  if (provider !== undefined) return { provider };
  throw new AppError("invalid_model", "X-AG-Pin must be a registry's id or name, or @provider.", {
    details: { param: "X-AG-Pin" },
  });
}
