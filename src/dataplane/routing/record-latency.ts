/** Records the latency of a registry, by which load balancing compares registries. */
import type { RegistryState } from "../live-state.ts";

const LATENCY_DECAY_MS = 10_000;

/** Updates a peak-sensitive moving average: a slow response counts at once and decays over 10 s. */
export function recordLatency(registry: RegistryState, sample: number, now: number): void {
  const age = now - registry.latency_at;
  const decay = Math.exp(-age / LATENCY_DECAY_MS);
  registry.latency_ms =
    sample > registry.latency_ms ? sample : registry.latency_ms * decay + sample * (1 - decay);
  registry.latency_at = now;
}
