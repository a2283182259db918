/** In-memory state of the data plane across requests: health, load, round-robin turns, location of files. */

import type { Deps } from "../deps.ts";
import type { FairSemaphore } from "../lib/concurrency/fair-semaphore.ts";
import { createLruCache, type LruCache } from "../lib/lru-cache.ts";
import { type Counts, newCounts } from "../lib/metrics.ts";
import { createMinuteSampler, type MinuteSampler } from "../lib/minute-sampler.ts";
import type { RegistryView, Snapshot } from "../snapshot/snapshot.ts";
import { createLateEvaluations, type LateEvaluations } from "./guard/stream/late-evaluations.ts";
import { createTextTurns } from "./guard/stream/text-turns.ts";
import { createModelList, type ModelList } from "./models/model-list.ts";
import { createObjectOwners, type ObjectOwners } from "./objects/object-owners.ts";
import { createRequestMetrics, type RequestMetrics } from "./request-metrics.ts";
import { createHealth, type RegistryHealth } from "./routing/registry-health.ts";

/** Keyed by registry id, so that it survives a configuration change. */
export interface RegistryState extends RegistryHealth {
  view: RegistryView;
  /** Requests whose responses have not ended. */
  in_flight: number;
  /** Peak-sensitive average of the time to the response headers; 0 before the first response. */
  latency_ms: number;
  latency_at: number;
  /** Requests sent, by status class or error code. */
  outcomes: Counts;
  model_list: ModelList;
}

export interface LiveState {
  registries: Map<string, RegistryState>;
  /** Current weights of smooth weighted round robin, by consumer id, then registry id. */
  turns: Map<string, Map<string, number>>;
  /** Registry that returned a file id before, by file id. Only a hint. */
  object_hints: LruCache<string>;
  /** Consumer that uploaded each file. Authoritative and stored. */
  object_owners: ObjectOwners;
  metrics: RequestMetrics;
  /** Samples requests that are rejected before authentication, by gateway and error code. */
  sampleRejection: MinuteSampler;
  late_evaluations: LateEvaluations;
  /** Turns of the long texts of streams, by consumer. */
  text_turns: FairSemaphore;
  snapshot: Snapshot | undefined;
}

declare module "../deps.ts" {
  interface Deps {
    /** State of the data plane. Read it with `getLiveState()`, which first removes deleted resources. */
    live: LiveState;
  }
}

const MAX_HINTS = 50_000;
/** Recorded per minute, gateway and error code; the others are only counted. */
const MAX_REJECTIONS = 20;

export const createLiveState = (deps: Pick<Deps, "db" | "log">): LiveState => ({
  registries: new Map(),
  turns: new Map(),
  object_hints: createLruCache(MAX_HINTS),
  object_owners: createObjectOwners(deps),
  metrics: createRequestMetrics(),
  sampleRejection: createMinuteSampler(MAX_REJECTIONS),
  late_evaluations: createLateEvaluations(),
  text_turns: createTextTurns(),
  snapshot: undefined,
});

/** Returns the state of the data plane, without registries and consumers that were deleted. */
export function getLiveState({
  live,
  snapshot: current,
}: Pick<Deps, "live" | "snapshot">): LiveState {
  const snapshot = current();
  if (live.snapshot !== snapshot) {
    live.snapshot = snapshot;
    removeDeleted(live, snapshot);
  }
  return live;
}

export function getRegistryState(live: LiveState, view: RegistryView): RegistryState {
  const state = live.registries.get(view.id);
  if (state?.view === view) return state;
  if (state && isSameUpstream(state.view, view)) {
    state.view = view;
    return state;
  }
  // Another address or credential starts with a new state; requests in flight keep the old one.
  const unused = { in_flight: 0, latency_ms: 0, latency_at: 0, outcomes: newCounts() };
  const newState = { view, ...unused, ...createHealth(), model_list: createModelList() };
  live.registries.set(view.id, newState);
  return newState;
}

function isSameUpstream(one: RegistryView, other: RegistryView): boolean {
  return (
    one.provider === other.provider &&
    JSON.stringify(one.upstream) === JSON.stringify(other.upstream)
  );
}

function removeDeleted(live: LiveState, snapshot: Snapshot): void {
  for (const id of live.registries.keys()) {
    if (!snapshot.registries.has(id)) live.registries.delete(id);
  }
  const consumers = new Set([...snapshot.consumersBySlug.values()].map(({ id }) => id));
  for (const id of live.turns.keys()) {
    if (!consumers.has(id)) live.turns.delete(id);
  }
}
