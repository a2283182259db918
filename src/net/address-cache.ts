/** Which addresses may be dialed for this host? Those that were checked. */
import { elapsedMs } from "../lib/time/clock.ts";
import { type Lookup, resolveAny, resolvePublic, systemLookup } from "./address-guard.ts";

export interface DialTarget {
  hostname: string;
  allow_private: boolean;
}

export type Addresses = readonly string[];

interface CacheEntry {
  until: number;
  /** A promise only while they are being looked for. */
  addresses: Addresses | Promise<Addresses>;
}

export interface AddressCache {
  /** At once when they are known, so that a busy target costs no turn of the event loop. Never none. */
  find(target: DialTarget): Addresses | Promise<Addresses>;
  /** This one took a connection where those before it did not: it is tried first from now on. */
  prefer(target: DialTarget, address: string): void;
  /** None of them took a connection: the next request looks again. */
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
      kept.delete(key); // so that the new entry counts as the youngest
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

/** What may be dialed for one registry must not be dialed for another one of the same host. */
function toCacheKey({ hostname, allow_private }: DialTarget): string {
  return `${allow_private ? "any" : "public"} ${hostname}`;
}
