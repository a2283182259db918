/** What the rate limiter keeps between requests: counts, blocks and the key of fingerprints. */
import type { Keyring } from "../../lib/seal.ts";
import { type Blocks, type BlocksOn, openBlocks } from "./blocks.ts";
import { type CounterStore, openCounterStore } from "./counter-store.ts";
import { createFingerprint, type Fingerprint } from "./subjects.ts";

export interface Limiter {
  store: CounterStore;
  blocks: Blocks;
  fingerprint: Fingerprint;
  stop(): Promise<void>;
}

/** Without `redis_url` the counts are in the memory of this process. */
export function openLimiter(
  on: BlocksOn & { redis_url: string | undefined; keyring: () => Keyring },
): Limiter {
  const store = openCounterStore(on.redis_url, on.log);
  const blocks = openBlocks(on);
  return {
    store,
    blocks,
    fingerprint: createFingerprint(on.keyring()),
    stop: async () => {
      store.stop();
      await blocks.stop();
    },
  };
}
