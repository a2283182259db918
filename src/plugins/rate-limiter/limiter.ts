/** State of the rate limiter between requests: counters, blocks and the key of fingerprints. */
import { LIMIT_TYPES } from "../../contract/gateway/limits.ts";
import type { Keyring } from "../../lib/crypto/seal.ts";
import { type Counts, newCounts } from "../../lib/metrics.ts";
import { type BlockList, type BlockListDeps, createBlockList } from "./block-list.ts";
import {
  type CounterStore,
  type CounterStoreOptions,
  openCounterStore,
  STORES,
} from "./counter-store.ts";
import { createFingerprint, type Fingerprint } from "./subjects.ts";

export interface Limiter {
  store: CounterStore;
  blocks: BlockList;
  fingerprint: Fingerprint;
  tally: LimiterTally;
  stop(): Promise<void>;
}

export interface LimiterTally {
  /** Checked requests, by the store that counted them. */
  checks: Counts;
  /** Rejected requests, by the limit type that was reported. */
  refused: Counts;
}

export const newLimiterTally = (): LimiterTally => ({
  checks: newCounts(STORES),
  refused: newCounts(LIMIT_TYPES),
});

export function openLimiter(
  on: BlockListDeps & CounterStoreOptions & { keyring: () => Keyring },
): Limiter {
  const store = openCounterStore(on);
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
