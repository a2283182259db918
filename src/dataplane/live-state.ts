/** State of the data plane between requests: health, load, round-robin turns, location of files. */
import type { Deps } from "../deps.ts";
import { createLruCache, type LruCache } from "../lib/lru-cache.ts";
import { type Counts, newCounts } from "../lib/metrics.ts";
import type { RegistryView, Snapshot } from "../snapshot/snapshot.ts";
import { createFileOwners, type FileOwners } from "./file-owners.ts";
import { createHealth, type RegistryHealth } from "./registry-health.ts";
import { createRequestMetrics, type RequestMetrics } from "./request-metrics.ts";

/** Kept by id, so that it outlives a change of the configuration. */
export interface RegistryState extends RegistryHealth {
  view: RegistryView;
  /** Requests under way, until the end of their answers. */
  in_flight: number;
  /** Peak-sensitive average of the time to an answer's head; 0: not known yet. */
  latency_ms: number;
  latency_at: number;
  /** What became of the requests sent to it: a class of status, or the code of an error. */
  outcomes: Counts;
}

export interface LiveState {
  registries: Map<string, RegistryState>;
  /** Smooth round robin: by consumer id, then registry id, how far each is ahead of its turn. */
  turns: Map<string, Map<string, number>>;
  /** By file id: the registry that answered with it before. A hint learned from answers, never the truth. */
  file_hints: LruCache<string>;
  /** Who uploaded what. Unlike the hints it is the truth, and written down. */
  file_owners: FileOwners;
  metrics: RequestMetrics;
  snapshot: Snapshot | undefined;
}

declare module "../deps.ts" {
  interface Deps {
    /** State of the data plane. Read it with `liveState()`, which first removes deleted resources. */
    live: LiveState;
  }
}

const MAX_HINTS = 50_000;

export const createLiveState = (deps: Pick<Deps, "db" | "log">): LiveState => ({
  registries: new Map(),
  turns: new Map(),
  file_hints: createLruCache(MAX_HINTS),
  file_owners: createFileOwners(deps),
  metrics: createRequestMetrics(),
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
  const known = live.registries.get(view.id);
  if (known?.view === view) return known;
  if (known && isSameUpstream(known.view, view)) {
    known.view = view;
    return known;
  }
  // Another address or credential: what was learned of the old one says nothing about it, and
  // what is still under way there ends there.
  const unused = { in_flight: 0, latency_ms: 0, latency_at: 0, outcomes: newCounts() };
  const fresh = { view, ...unused, ...createHealth() };
  live.registries.set(view.id, fresh);
  return fresh;
}

function isSameUpstream(one: RegistryView, other: RegistryView): boolean {
  return JSON.stringify(one.upstream) === JSON.stringify(other.upstream);
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
