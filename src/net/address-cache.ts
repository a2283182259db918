/** Caches the checked addresses of each host. */
import { elapsedMs } from "../lib/time/clock.ts";
import { type Lookup, resolveAny, resolvePublic, systemLookup } from "./address-guard.ts";

export interface DialTarget {
  hostname: string;
  allow_private: boolean;
}

export type Addresses = readonly string[];

interface CacheEntry {
  until: number;
  /** Pending only during the DNS lookup. */
  addresses: Addresses | Promise<Addresses>;
}

export interface AddressCache {
  /** Returns at least one address, synchronously if cached. */
  find(target: DialTarget): Addresses | Promise<Addresses>;
  /** Moves an address to the front after it accepted a connection and earlier ones did not. */
  prefer(target: DialTarget, address: string): void;
  /** Drops the entry after no address accepted a connection. */
  forget(target: DialTarget): void;
}

export interface AddressCacheOptions {
  lookup?: Lookup;
  nowMs?: () => number;
}

const CACHE_MS = 30_000;
const MAX_ENTRIES = 1000;
const MAX_ADDRESSES = 4;

export function createAddressCache({
  lookup = systemLookup,
  nowMs = elapsedMs,
}: AddressCacheOptions = {}): AddressCache {
  const kept = new Map<string, CacheEntry>();

  return {
    find(target) {
      const key = toCacheKey(target);
      const known = kept.get(key);
      if (known && known.until > nowMs()) return known.addresses;

      const addresses = search(target);
      kept.delete(key); // re-inserted as the newest entry
      const entry: CacheEntry = { until: nowMs() + CACHE_MS, addresses };
      kept.set(key, entry);
      addresses.then(
        (found) => {
          entry.addresses = found;
        },
        () => kept.get(key) === entry && kept.delete(key),
      );
      const [oldest] = kept.keys();
      if (kept.size > MAX_ENTRIES && oldest !== undefined) kept.delete(oldest);
      return addresses;
    },
    prefer(target, address) {
      const known = kept.get(toCacheKey(target));
      if (!known || known.addresses instanceof Promise) return;
      known.addresses = [address, ...known.addresses.filter((other) => other !== address)];
    },
    forget(target) {
      kept.delete(toCacheKey(target));
    },
  };

  async function search({ hostname, allow_private }: DialTarget): Promise<Addresses> {
    const resolve = allow_private ? resolveAny : resolvePublic;
    return (await resolve(hostname, lookup)).slice(0, MAX_ADDRESSES);
  }
}

/** Separates entries by permission: private addresses allowed for one registry are not allowed for another. */
function toCacheKey({ hostname, allow_private }: DialTarget): string {
  return `${allow_private ? "any" : "public"} ${hostname}`;
}
