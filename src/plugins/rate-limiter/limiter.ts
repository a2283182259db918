/** What the rate limiter keeps between requests: counts, blocks and the key of fingerprints. */
import { LIMIT_TYPES } from "../../contract/limits.ts";
import type { Keyring } from "../../lib/crypto/seal.ts";
import { type Counts, newCounts } from "../../lib/metrics.ts";
import { type BlockList, type BlockListDeps, createBlockList } from "./block-list.ts";
import { type CounterStore, openCounterStore, STORES } from "./counter-store.ts";
import { createFingerprint, type Fingerprint } from "./subjects.ts";

export interface Limiter {
  store: CounterStore;
  blocks: BlockList;
  fingerprint: Fingerprint;
  tally: LimiterTally;
  stop(): Promise<void>;
}

export interface LimiterTally {
  /** Requests that were looked at, by where they were counted. */
  checks: Counts;
  /** Requests that were refused, by the type that was named. */
  refused: Counts;
}

export const newLimiterTally = (): LimiterTally => ({
  checks: newCounts(STORES),
  refused: newCounts(LIMIT_TYPES),
});

/** Without `redis_url` the counts are in the memory of this process. */
export function openLimiter(
  on: BlockListDeps & { redis_url: string | undefined; keyring: () => Keyring },
): Limiter {
  const store = openCounterStore(on.redis_url, on.log);
  const blocks = createBlockList(on);
  return {
    store,
    blocks,
    fingerprint: createFingerprint(on.keyring()),
    tally: newLimiterTally(),
    stop: async () => {
      store.stop();
      await blocks.stop();
    },
  };
}
