/** Chooses the consumer's registries that can handle a request, in the order they are tried (spec 4.7). */
import { OBJECT_CAPABILITIES } from "../../contract/gateway/registries.ts";
import type { Deps } from "../../deps.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import { getLiveState, getRegistryState, type LiveState } from "../live-state.ts";
import type { MatchedEndpoint } from "../match-endpoint.ts";
import { findObjectReference } from "../objects/find-object-reference.ts";
import type { ParsedRequest, RoutedRequest } from "../stages.ts";
import { buildRoutingError } from "./build-routing-error.ts";
import {
  type Candidate,
  evaluateRegistry,
  parsePin,
  type RoutingCriteria,
  type StaticExclusion,
} from "./evaluate-registry.ts";
import { type BalancingInput, orderCandidates } from "./order-candidates.ts";
import { isAvailable } from "./registry-health.ts";

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
  const { requested, fallbacks } = orderAttempts(live, candidates, criteria, balancing);
  return { ...parsed, elsewhere_statuses, candidates: [...requested, ...fallbacks] };
}

/** Returns whether the request starts a batch whose models are in a file. */
export const startsFileBatch = (
  { capability, creates }: MatchedEndpoint,
  method: string,
): boolean => capability === "batches" && creates === true && method === "POST";

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

interface Attempts {
  /** Candidates of the requested model. */
  requested: Candidate[];
  /** Candidates of the consumer's fallback models, tried afterwards. */
  fallbacks: Candidate[];
}

/** Orders the attempts. Leaves out registries that are unavailable, unless all of them are. */
export function orderAttempts(
  live: LiveState,
  candidates: Candidate[],
  criteria: RoutingCriteria,
  balancing: BalancingInput,
): Attempts {
  const { consumer, object_id } = balancing;
  const requested = orderCandidates(live, candidates, balancing);
  if (consumer.fallbacks.length === 0) return { requested, fallbacks: [] };
  const fallbacks = listFallbacks(live, criteria, balancing);
  if (!consumer.failover.enabled || object_id !== undefined) return { requested, fallbacks };
  const now = elapsedMs();
  const keepAvailable = (pool: Candidate[]) =>
    pool.filter(({ registry }) => isAvailable(getRegistryState(live, registry), now));
  const available = { requested: keepAvailable(requested), fallbacks: keepAvailable(fallbacks) };
  const hasAny = available.requested.length + available.fallbacks.length > 0;
  return hasAny ? available : { requested, fallbacks };
}

/** Returns the candidates of the consumer's fallback models, in order. They are rarely sent, so they take no turns. */
function listFallbacks(
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
