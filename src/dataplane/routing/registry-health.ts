/** Circuit breaker of a registry, driven by live traffic: the gateway sends no probes, which would be billed. */

export interface RegistryHealth {
  /** Consecutive failures. */
  failures: number;
  /** Monotonic time in ms until which the circuit is open; 0 if closed. */
  open_until: number;
  /** The request that probes an open circuit is in flight. */
  probing: boolean;
  /** Monotonic time in ms until which Retry-After applies; 0 if the upstream sent none. */
  paused_until: number;
}

export const createHealth = (): RegistryHealth => ({
  failures: 0,
  open_until: 0,
  probing: false,
  paused_until: 0,
});

/** The upstream rejected the request without processing it. Anthropic sends 529 instead of 503. */
export const BUSY_STATUSES: readonly number[] = [429, 503, 529];

const FAILURES_TO_OPEN = 5;
const OPEN_MS = 10_000;
const MAX_PAUSE_MS = 60_000;

/** Lets one request probe a circuit whose timeout has passed; no others until the probe ends. */
export function isAvailable(health: RegistryHealth, now: number): boolean {
  if (health.paused_until > now) return false;
  if (health.open_until === 0) return true;
  return now >= health.open_until && !health.probing;
}

/** Marks the request as the probe if the circuit is open. Call it when the request is sent. */
export function recordSent(health: RegistryHealth): void {
  if (health.open_until !== 0) health.probing = true;
}

/** Ends a probe without a result: the client disconnected first. */
export function recordNoOutcome(health: RegistryHealth): void {
  health.probing = false;
}

/** Updates the circuit. `status` is undefined if there was no response, or an incomplete one. */
export function recordOutcome(
  health: RegistryHealth,
  outcome: { status: number | undefined; retry_after_ms: number },
  now: number,
): void {
  const { status, retry_after_ms } = outcome;
  const wasProbe = health.probing;
  health.probing = false;
  if (retry_after_ms > 0) {
    health.paused_until = now + Math.min(retry_after_ms, MAX_PAUSE_MS);
  }
  // A rejected credential fails every request, so one response opens the circuit.
  const isUnauthorized = status === 401 || status === 403;
  const isFailure = status === undefined || status >= 500 || status === 408;
  if (!isUnauthorized && !isFailure) {
    // 429 neither resets the failures nor closes the circuit, unless it is the result of a probe.
    if (status !== 429) health.failures = 0;
    if (status !== 429 || wasProbe) health.open_until = 0;
    return;
  }
  health.failures += 1;
  if (isUnauthorized || wasProbe || health.failures >= FAILURES_TO_OPEN)
    health.open_until = now + OPEN_MS;
}
