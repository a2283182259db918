/** Chooses the consumer's registries that can handle a request, in the order they are tried (spec 4.7). */
import { AppError } from "../../contract/errors.ts";
import type { ExclusionReason } from "../../contract/gateway/explain.ts";
import { type Capability, OBJECT_CAPABILITIES } from "../../contract/gateway/registries.ts";
import type { Deps } from "../../deps.ts";
import type { AttachedView, RegistryView } from "../../snapshot/snapshot.ts";
import type { DataEndpoint } from "../match-endpoint.ts";
import { isModelAllowed } from "../models/is-model-allowed.ts";
import { mapModel } from "../models/map-model.ts";
import { type ModelReference, parseProviderName } from "../models/model-reference.ts";
import { findObjectReference } from "../objects/find-object-reference.ts";
import type { ParsedRequest, RoutedRequest } from "../stages.ts";
import { findOutboundDialect } from "../upstream/translate-attempt.ts";
import { getLiveState, type LiveState } from "./live-state.ts";
import { type BalancingInput, orderCandidates } from "./order-candidates.ts";

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

export function chooseRegistries(
  deps: Deps,
  parsed: ParsedRequest,
  objectRegistryId: string | undefined,
): RoutedRequest {
  const { capability, model, additional_models, batch_models } = parsed;
  const { consumer, request, endpoint } = parsed;
  const criteria = {
    capability,
    model,
    additional_models,
    batch_models,
    starts_file_batch: startsFileBatch(endpoint, request.method),
    pin: parsePin(parsed.pin),
    object_registry_id: objectRegistryId,
  };
  const candidates: Candidate[] = [];
  const exclusions: StaticExclusion[] = [];
  for (const attached of consumer.registries) {
    const verdict = evaluateRegistry(attached, criteria);
    if (typeof verdict === "string") exclusions.push(verdict);
    else candidates.push(verdict);
  }
  if (candidates.length === 0) throw buildRoutingError(criteria, exclusions);
  const live = getLiveState(deps);
  const { object_id, elsewhere_statuses } = locateObject(live, parsed, candidates);
  const { headers } = request;
  const balancing = { consumer, capability, object_id, headers, random: deps.random };
  const ordered = orderCandidates(live, candidates, balancing);
  const routed = { ...parsed, elsewhere_statuses };
  if (consumer.fallbacks.length === 0) return { ...routed, candidates: ordered };
  return { ...routed, candidates: [...ordered, ...listFallbacks(live, criteria, balancing)] };
}

/** Returns whether the request starts a batch whose models are in a file. */
export const startsFileBatch = ({ capability, creates }: DataEndpoint, method: string): boolean =>
  capability === "batches" && creates === true && method === "POST";

interface ObjectLocation extends Pick<RoutedRequest, "elsewhere_statuses"> {
  object_id: string | undefined;
}

const NOWHERE: ObjectLocation = { object_id: undefined, elsewhere_statuses: [] };

/** Returns the object that selects a registry: the one in the path, or the one that the body continues. */
function locateObject(
  { object_hints }: LiveState,
  { item, body }: ParsedRequest,
  candidates: readonly Candidate[],
): ObjectLocation {
  if (item !== undefined) return { object_id: item, elsewhere_statuses: [404] };
  const object_id = candidates.length > 1 ? findObjectReference(body) : undefined;
  if (object_id === undefined) return NOWHERE;
  const hint = object_hints.get(object_id);
  const isKnown = candidates.some(({ registry }) => registry.id === hint);
  // OpenAI rejects an unknown response with 400. Both statuses mean that nothing was generated.
  return { object_id, elsewhere_statuses: isKnown ? [] : [400, 404] };
}

/** Returns the candidates of the consumer's fallback models, in order. They are rarely sent, so they take no turns. */
export function listFallbacks(
  live: LiveState,
  criteria: RoutingCriteria,
  balancing: BalancingInput,
): Candidate[] {
  const { consumer } = balancing;
  const isPinned = criteria.model.kind === "pinned" || criteria.pin !== undefined;
  if (isPinned || OBJECT_CAPABILITIES.has(criteria.capability)) return [];
  return consumer.fallbacks.flatMap((model) => {
    const named: RoutingCriteria = { ...criteria, model: { kind: "named", model } };
    const verdicts = consumer.registries.map((attached) => evaluateRegistry(attached, named));
    const candidates = verdicts.filter((verdict) => typeof verdict !== "string");
    return orderCandidates({ ...live, turns: new Map() }, candidates, balancing);
  });
}

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

const UNRELATED_TO_MODEL: readonly StaticExclusion[] = ["capability", "file_elsewhere"];

/** Returns the error that explains best why all registries were excluded. */
export function buildRoutingError(
  criteria: RoutingCriteria,
  exclusions: readonly StaticExclusion[],
): AppError {
  const usable = exclusions.filter(
    (exclusion) => exclusion !== "disabled" && exclusion !== "unusable",
  );
  const pinned = usable.filter((exclusion) => exclusion !== "not_pinned");
  const hasPin = criteria.model.kind === "pinned" || criteria.pin !== undefined;
  if (hasPin && usable.length > 0) {
    if (pinned.length === 0) {
      return new AppError("model_not_allowed", "No registry of this consumer matches the pin.");
    }
    // No failover away from a pin (spec 4.7.3).
    if (pinned.every((exclusion) => exclusion === "capability")) {
      const text = `The pinned registry does not support this capability: ${criteria.capability}.`;
      return new AppError("invalid_request", text);
    }
  }
  const models = pinned.filter((exclusion) => !UNRELATED_TO_MODEL.includes(exclusion));
  const details = { param: "model" };
  if (models.length === 0) {
    const text = `No backend available: no registry of this consumer supports ${criteria.capability}.`;
    return new AppError("no_backend_available", text);
  }
  if (models.every((exclusion) => exclusion === "needs_model")) {
    return new AppError("invalid_model", "This request must name a model.", { details });
  }
  if (models.every((exclusion) => exclusion === "model_name" || exclusion === "needs_model")) {
    const text =
      "model: must not contain `/`, `?`, `#`, `\\`, `..` or control characters for these registries.";
    return new AppError("invalid_model", text, { details });
  }
  if (criteria.model.kind === "opaque") {
    const text =
      "model: must be a name, because the models of this consumer are limited or mapped.";
    return new AppError("model_not_allowed", text, { details });
  }
  if (models.every((exclusion) => exclusion === "batch_file")) {
    const text =
      "The models of this batch are in a file, which the gateway does not read, and this consumer's models are limited or mapped. Send the requests without a batch.";
    return new AppError("model_not_allowed", text);
  }
  const text = models.every((exclusion) => exclusion === "no_default")
    ? "No registry of this consumer has a default model. Send `model`."
    : undefined;
  return new AppError("model_not_allowed", text, { details });
}
