/** Orders the registries that may answer: the first is tried first. */

import type { Capability } from "../contract/registries.ts";
import { readUser } from "../contract/user-header.ts";
import { elapsedMs } from "../lib/time/clock.ts";
import type { ConsumerView } from "../snapshot/snapshot.ts";
import type { Candidate } from "./choose-registries.ts";
import { getRegistryState, type LiveState } from "./live-state.ts";
import { isAvailable } from "./registry-health.ts";

export interface BalancingInput {
  consumer: ConsumerView;
  capability: Capability;
  file_id: string | undefined;
  headers: Headers;
  random: () => number;
}

export function orderCandidates(
  live: LiveState,
  candidates: Candidate[],
  turn: BalancingInput,
): Candidate[] {
  if (candidates.length === 1) return candidates;
  // Health does not count here: the one that has the file is the only one that can answer.
  if (turn.file_id !== undefined) return orderByFileHint(live, candidates, turn.file_id);

  const now = elapsedMs();
  const available = candidates.filter(({ registry }) =>
    isAvailable(getRegistryState(live, registry), now),
  );
  // When nothing looks well, the request is still worth a try: the upstream says best what is wrong.
  const pool = available.length > 0 ? available : candidates;
  if (pool.length === 1) return pool;
  // Uploads and lists of a consumer meet at one registry, or a list would miss what was uploaded.
  if (turn.capability === "files") return sortByScore(pool, createStickyScore(turn.consumer.id));
  return ALGORITHMS[turn.consumer.balancing.algorithm](live, pool, turn);
}

type Algorithm = (live: LiveState, pool: Candidate[], turn: BalancingInput) => Candidate[];

const ALGORITHMS: Record<ConsumerView["balancing"]["algorithm"], Algorithm> = {
  round_robin: (live, pool, { consumer }) => takeTurn(getTurns(live, consumer.id), pool),

  least_in_flight(live, pool, { consumer }) {
    const load = ({ registry, weight }: Candidate) =>
      getRegistryState(live, registry).in_flight / weight;
    const least = Math.min(...pool.map(load));
    const [first] = takeTurn(
      getTurns(live, consumer.id),
      pool.filter((candidate) => load(candidate) === least),
    );
    const rest = pool.filter((candidate) => candidate !== first);
    rest.sort((one, other) => load(one) - load(other));
    return first ? [first, ...rest] : rest;
  },

  /** Power of two choices: looking at all of them would send everyone to the same one. */
  latency(live, pool, { random }) {
    const expected = ({ registry, weight }: Candidate) => {
      const { latency_ms, in_flight } = getRegistryState(live, registry);
      return (latency_ms * (in_flight + 1)) / weight;
    };
    const shuffled = sortByScore(pool, () => random());
    const [one, two, ...rest] = shuffled;
    if (!one || !two) return shuffled;
    return expected(one) <= expected(two) ? [one, two, ...rest] : [two, one, ...rest];
  },

  sticky: (_live, pool, { consumer, headers }) =>
    sortByScore(pool, createStickyScore(`${consumer.id} ${readUser(headers)}`)),
};

/** The registry that returned the id before, then those whose ids begin like it, then the others. */
function orderByFileHint(live: LiveState, candidates: Candidate[], fileId: string): Candidate[] {
  const hinted = live.file_hints.get(fileId);
  return sortByScore(candidates, ({ registry: { id, provider } }) => {
    if (id === hinted) return 2;
    const { idPrefix } = provider.operations.files ?? {};
    return idPrefix !== undefined && fileId.startsWith(idPrefix) ? 1 : 0;
  });
}

function getTurns(live: LiveState, consumerId: string): Map<string, number> {
  let turns = live.turns.get(consumerId);
  if (!turns) {
    turns = new Map();
    live.turns.set(consumerId, turns);
  }
  return turns;
}

/** Smooth weighted round robin: the one most behind its share goes first, and the rest in that order. */
function takeTurn(turns: Map<string, number>, pool: Candidate[]): Candidate[] {
  let total = 0;
  for (const { registry, weight } of pool) {
    total += weight;
    turns.set(registry.id, (turns.get(registry.id) ?? 0) + weight);
  }
  const ordered = sortByScore(pool, ({ registry }) => turns.get(registry.id) ?? 0);
  const first = ordered[0]?.registry.id;
  if (first !== undefined) turns.set(first, (turns.get(first) ?? 0) - total);
  return ordered;
}

/** Rendezvous hashing by weight: when a registry goes, only its own subjects move. */
function createStickyScore(subject: string): (candidate: Candidate) => number {
  return ({ registry, weight }) => {
    const hash = Bun.hash.wyhash(`${subject} ${registry.id}`) & MASK;
    const share = (Number(hash) + 1) / (Number(MASK) + 2);
    return -weight / Math.log(share);
  };
}

const MASK = (1n << 52n) - 1n;

/** Highest first; equal scores keep the attach order. */
function sortByScore(pool: Candidate[], score: (candidate: Candidate) => number): Candidate[] {
  return pool
    .map((candidate) => ({ candidate, score: score(candidate) }))
    .sort((one, other) => other.score - one.score)
    .map(({ candidate }) => candidate);
}
