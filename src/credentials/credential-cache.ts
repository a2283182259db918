/** Caches a short-lived credential: one request for it at a time, renewed in the background before it expires. */

export interface IssuedCredential<T> {
  value: T;
  /** Milliseconds since the epoch; Infinity when it does not expire. */
  expires_at: number;
}

/** Renewed this long before the end, or after three quarters of a short lifetime. */
const RENEW_AHEAD_MS = 5 * 60_000;
/** Not used in its last seconds: the clocks of machines differ. */
const MARGIN_MS = 10_000;
/** Wait before a failed request is repeated, so that traffic does not flood the token endpoint. */
const RETRY_MS = 1_000;

interface CacheState<T> {
  issued: IssuedCredential<T> | undefined;
  renew_at: number;
  running: Promise<T> | undefined;
  failure: { error: unknown; until: number } | undefined;
}

export interface CacheOptions {
  now: () => Date;
  /** Called when a renewal fails while the credential is still valid. */
  onRenewalFailure: (error: unknown) => void;
}

/** Returns a function that waits only when no valid credential is cached. */
export function cacheCredential<T>(
  request: () => Promise<IssuedCredential<T>>,
  { now, onRenewalFailure }: CacheOptions,
): () => Promise<T> {
  const state: CacheState<T> = {
    issued: undefined,
    renew_at: 0,
    running: undefined,
    failure: undefined,
  };

  async function renew(): Promise<T> {
    try {
      const issued = await request();
      const at = now().getTime();
      // A response without a readable time is used for a short time.
      const expires_at = Number.isNaN(issued.expires_at) ? at + RENEW_AHEAD_MS : issued.expires_at;
      state.issued = { value: issued.value, expires_at };
      state.renew_at = expires_at - Math.min(RENEW_AHEAD_MS, (expires_at - at) / 4);
      state.failure = undefined;
      return issued.value;
    } catch (error) {
      state.failure = { error, until: now().getTime() + RETRY_MS };
      throw error;
    }
  }

  /** Returns the running request, or starts one, unless the last one has just failed. */
  function startRenewal(at: number): Promise<T> | undefined {
    if (state.running || (state.failure && at < state.failure.until)) return state.running;
    state.running = renew().finally(() => {
      state.running = undefined;
    });
    if (isValid(at)) state.running.catch(onRenewalFailure);
    return state.running;
  }

  const isValid = (at: number): boolean =>
    state.issued !== undefined && at < state.issued.expires_at - MARGIN_MS;

  return async () => {
    const at = now().getTime();
    if (state.issued && isValid(at)) {
      const { value } = state.issued;
      if (at >= state.renew_at) startRenewal(at);
      return value;
    }
    const running = startRenewal(at);
    if (!running) throw state.failure?.error;
    return await running;
  };
}
