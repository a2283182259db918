/** Which address do we connect to for this host and port? One that was checked and takes connections. */
import { connect } from "node:net";
import { AppError } from "../contract/errors.ts";
import { elapsedMs } from "../lib/clock.ts";
import { type Lookup, resolveAny, resolvePublic, systemLookup } from "./address-guard.ts";

export interface Target {
  hostname: string;
  port: number;
  allow_private: boolean;
}

interface Kept {
  until: number;
  /** A promise only while it is being looked for. */
  address: string | Promise<string>;
}

export interface AddressFinder {
  /** At once when it is known, so that a busy target costs no turn of the event loop. */
  find(target: Target): string | Promise<string>;
  /** The address failed: the next request looks again. */
  forget(target: Target): void;
}

export interface FinderOptions {
  lookup?: Lookup;
  nowMs?: () => number;
  /** Longest wait for a connection, shared by the addresses that are tried. */
  connectMs?: number;
}

const KEPT_MS = 30_000;
const MAX_KEPT = 1000;
const MAX_TRIED = 4;

/**
 * `fetch` cannot tell a connect that hangs from an upstream that thinks, so connecting is tried here,
 * once in 30 s for each target: what fails here certainly reached nobody and may go elsewhere.
 */
export function createAddressFinder({
  lookup = systemLookup,
  nowMs = elapsedMs,
  connectMs = 10_000,
}: FinderOptions = {}): AddressFinder {
  const kept = new Map<string, Kept>();

  return {
    find(target) {
      const key = keyOf(target);
      const known = kept.get(key);
      if (known && known.until > nowMs()) return known.address;

      const address = search(target);
      kept.delete(key); // so that the new entry counts as the youngest
      const entry: Kept = { until: nowMs() + KEPT_MS, address };
      kept.set(key, entry);
      address.then(
        (found) => {
          entry.address = found;
        },
        () => kept.get(key) === entry && kept.delete(key),
      );
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      return address;
    },
    forget(target) {
      kept.delete(keyOf(target));
    },
  };

  async function search({ hostname, port, allow_private }: Target): Promise<string> {
    const resolve = allow_private ? resolveAny : resolvePublic;
    const addresses = (await resolve(hostname, lookup)).slice(0, MAX_TRIED);
    let cause: unknown;
    for (const address of addresses) {
      try {
        await tryConnect(address, port, connectMs / addresses.length);
        return address;
      } catch (thrown) {
        cause = thrown;
      }
    }
    throw new AppError("upstream_unreachable", undefined, { cause });
  }
}

/** What may be dialled for one registry must not be dialled for another one of the same host. */
function keyOf({ hostname, port, allow_private }: Target): string {
  return `${allow_private ? "any" : "public"} ${hostname} ${port}`;
}

function tryConnect(host: string, port: number, timeoutMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const timer = setTimeout(() => settle(new Error("The connection timed out.")), timeoutMs);
    const settle = (error?: Error) => {
      clearTimeout(timer);
      socket.destroy();
      if (error) reject(error);
      else resolve();
    };
    socket.once("connect", () => settle());
    socket.on("error", settle);
  });
}
