/** Load balancing: orders the candidates of a request; the first is tried first. */
import { type Capability, OBJECT_CAPABILITIES } from "../../contract/gateway/registries.ts";
import { readUser } from "../../contract/gateway/user-header.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import type { ConsumerView } from "../../snapshot/snapshot.ts";
import { getRegistryState, type LiveState } from "../live-state.ts";
import type { Candidate } from "./evaluate-registry.ts";
import { isAvailable } from "./registry-health.ts";

export interface BalancingInput {
  consumer: ConsumerView;
  capability: Capability;
  object_id: string | undefined;
  headers: Headers;
  random: () => number;
}

export function orderCandidates(
  live: LiveState,
  candidates: Candidate[],
  input: BalancingInput,
): Candidate[] {
  if (candidates.length <= 1) return candidates;
  // Ignores health, because only the registry that stores the object can return it.
  if (input.object_id !== undefined) return orderByHint(live, candidates, input.object_id);

  const now = elapsedMs();
  const available = candidates.filter(({ registry }) =>
    isAvailable(getRegistryState(live, registry), now),
  );
  // If no registry is available, tries all: the response of an upstream explains the problem best.
  const pool = available.length > 0 ? available : candidates;
  if (pool.length === 1) return pool;
  // Uploads, batches and lists of a consumer use the same registry, so that a list contains what it created.
  if (OBJECT_CAPABILITIES.has(input.capability))
    return sortByScore(pool, createStickyScore(input.consumer.id));
  const balance = ALGORITHMS[input.consumer.balancing.algorithm];
  // Registries that support the client's API format come before those that need a translation.
  const isNative = ({ capability }: Candidate) => capability === input.capability;
  if (pool.every(isNative)) return balance(live, pool, input);
  return [pool.filter(isNative), pool.filter((candidate) => !isNative(candidate))].flatMap(
    (group) => balance(live, group, input),
  );
}

type Algorithm = (live: LiveState, pool: Candidate[], input: BalancingInput) => Candidate[];

const ALGORITHMS: Record<ConsumerView["balancing"]["algorithm"], Algorithm> = {
  round_robin: (live, pool, { consumer }) => takeTurn(getTurns(live, consumer.id), pool),

  least_in_flight(live, pool, { consumer }) {
    const load = ({ registry, weight }: Candidate) =>
      getRegistryState(live, registry).in_flight / weight;
    const minLoad = Math.min(...pool.map(load));
    const [first] = takeTurn(
      getTurns(live, consumer.id),
      pool.filter((candidate) => load(candidate) === minLoad),
    );
    const rest = pool.filter((candidate) => candidate !== first);
    rest.sort((a, b) => load(a) - load(b));
    return first ? [first, ...rest] : rest;
  },

  /** Power of two choices: comparing all of them would send all requests to the same one. */
  latency(live, pool, { random }) {
    const cost = ({ registry, weight }: Candidate) => {
      const { latency_ms, in_flight } = getRegistryState(live, registry);
      return (latency_ms * (in_flight + 1)) / weight;
    };
    const shuffled = sortByScore(pool, () => random());
    const [one, two, ...rest] = shuffled;
    if (!one || !two) return shuffled;
    return cost(one) <= cost(two) ? [one, two, ...rest] : [two, one, ...rest];
  },

  sticky: (_live, pool, { consumer, headers }) =>
    sortByScore(pool, createStickyScore(`${consumer.id} ${readUser(headers)}`)),
};

/** Orders the registry that returned the id before first, then those whose id prefix matches. */
function orderByHint(live: LiveState, candidates: Candidate[], objectId: string): Candidate[] {
  const hinted = live.object_hints.get(objectId);
  return sortByScore(candidates, ({ registry: { id, provider } }) => {
    if (id === hinted) return 2;
    const { idPrefix } = provider.operations.files ?? {};
    return idPrefix !== undefined && objectId.startsWith(idPrefix) ? 1 : 0;
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

/** Orders by smooth weighted round robin, and charges the first candidate with its turn. */
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

/** Weighted rendezvous hashing: if a registry is removed, only its own subjects move. */
function createStickyScore(subject: string): (candidate: Candidate) => number {
  return ({ registry, weight }) => {
    const hash = Bun.hash.wyhash(`${subject} ${registry.id}`) & MASK;
    const share = (Number(hash) + 1) / (Number(MASK) + 2);
    return -weight / Math.log(share);
  };
}

const MASK = (1n << 52n) - 1n;

/** Sorts by descending score; equal scores keep the attach order. */
function sortByScore(pool: Candidate[], score: (candidate: Candidate) => number): Candidate[] {
  return pool
    .map((candidate) => ({ candidate, score: score(candidate) }))
    .sort((a, b) => b.score - a.score)
    .map(({ candidate }) => candidate);
}
