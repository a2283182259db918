/** Is a registry worth sending to? Told by live traffic alone, never by a probe that is billed. */

export interface RegistryHealth {
  /** Failures in a row. */
  failures: number;
  /** Open circuit: not before this (steady clock, ms); 0 when closed. */
  open_until: number;
  /** The one request that tries an open circuit is under way. */
  probing: boolean;
  /** The upstream asked to be left alone until then (Retry-After); 0 when it did not. */
  paused_until: number;
}

export const createHealth = (): RegistryHealth => ({
  failures: 0,
  open_until: 0,
  probing: false,
  paused_until: 0,
});

/** The upstream turned the request away and did nothing. Anthropic returns 529 for 503. */
export const BUSY_STATUSES: readonly number[] = [429, 503, 529];

const FAILURES_TO_OPEN = 5;
const OPEN_MS = 10_000;
const MAX_PAUSE_MS = 60_000;

/** A circuit whose time is over lets one request through; the others wait for what becomes of it. */
export function isAvailable(health: RegistryHealth, now: number): boolean {
  if (health.paused_until > now) return false;
  if (health.open_until === 0) return true;
  return now >= health.open_until && !health.probing;
}

/** Call it when the request is sent, so that it counts as the probe. */
export function recordSent(health: RegistryHealth): void {
  if (health.open_until !== 0) health.probing = true;
}

/** The client left before anything was known. */
export function recordNoOutcome(health: RegistryHealth): void {
  health.probing = false;
}

/** `status` undefined: no answer, or one that broke off. */
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
  // A credential that is refused fails every request, not some of them.
  const refused = status === 401 || status === 403;
  const failed = status === undefined || status >= 500 || status === 408;
  if (!refused && !failed) {
    // 429: alive, but it says nothing about an open circuit either.
    if (status !== 429) health.failures = 0;
    if (status !== 429 || wasProbe) health.open_until = 0;
    return;
  }
  health.failures += 1;
  if (refused || wasProbe || health.failures >= FAILURES_TO_OPEN) health.open_until = now + OPEN_MS;
}
