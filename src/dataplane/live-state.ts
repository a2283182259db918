/** State of the data plane between requests: health, load, round-robin turns, location of files. */
import type { Deps } from "../deps.ts";
import { createLruCache, type LruCache } from "../lib/lru-cache.ts";
import { type Counts, newCounts } from "../lib/metrics.ts";
import type { RegistryView, Snapshot } from "../snapshot/snapshot.ts";
import { type Health, newHealth } from "./health.ts";
import { type OwnedFiles, openOwnedFiles } from "./owned-files.ts";
import { newTally, type Tally } from "./tally.ts";

/** Kept by id, so that it outlives a change of the configuration. */
export interface RegistryLive extends Health {
  view: RegistryView;
  /** Requests under way, until the end of their answers. */
  in_flight: number;
  /** Peak-sensitive average of the time to an answer's head; 0: not known yet. */
  latency_ms: number;
  latency_at: number;
  /** What became of the requests sent to it: a class of status, or the code of an error. */
  outcomes: Counts;
}

export interface Live {
  registries: Map<string, RegistryLive>;
  /** Smooth round robin: by consumer id, then registry id, how far each is ahead of its turn. */
  turns: Map<string, Map<string, number>>;
  /** By file id: the registry that answered with it before. A hint learned from answers, never the truth. */
  files: LruCache<string>;
  /** Who uploaded what. Unlike the hints it is the truth, and written down. */
  owned: OwnedFiles;
  tally: Tally;
  snapshot: Snapshot | undefined;
}

declare module "../deps.ts" {
  interface Deps {
    /** State of the data plane. Read it with `liveState()`, which first removes deleted resources. */
    live: Live;
  }
}

const MAX_HINTS = 50_000;

export const createLiveState = (deps: Pick<Deps, "db" | "log">): Live => ({
  registries: new Map(),
  turns: new Map(),
  files: createLruCache(MAX_HINTS),
  owned: openOwnedFiles(deps),
  tally: newTally(),
  snapshot: undefined,
});

/** Returns the state of the data plane, without registries and consumers that were deleted. */
export function liveState({ live, snapshot: current }: Pick<Deps, "live" | "snapshot">): Live {
  const snapshot = current();
  if (live.snapshot !== snapshot) {
    live.snapshot = snapshot;
    forgetRemoved(live, snapshot);
  }
  return live;
}

export function registryLive(live: Live, view: RegistryView): RegistryLive {
  const known = live.registries.get(view.id);
  if (known?.view === view) return known;
  if (known && sameUpstream(known.view, view)) {
    known.view = view;
    return known;
  }
  // Another address or credential: what was learned of the old one says nothing about it, and
  // what is still under way there ends there.
  const unused = { in_flight: 0, latency_ms: 0, latency_at: 0, outcomes: newCounts() };
  const fresh = { view, ...unused, ...newHealth() };
  live.registries.set(view.id, fresh);
  return fresh;
}

function sameUpstream(one: RegistryView, other: RegistryView): boolean {
  return JSON.stringify(one.upstream) === JSON.stringify(other.upstream);
}

function forgetRemoved(live: Live, snapshot: Snapshot): void {
  for (const id of live.registries.keys()) {
    if (!snapshot.registries.has(id)) live.registries.delete(id);
  }
  const consumers = new Set([...snapshot.consumersBySlug.values()].map(({ id }) => id));
  for (const id of live.turns.keys()) {
    if (!consumers.has(id)) live.turns.delete(id);
  }
}
