/** Connected clients of upstream MCP servers, kept for the next call: a handshake costs more than a call. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Deps } from "../../deps.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import type { OpenReservation } from "../memory-reservations.ts";
import { isSessionLost } from "./describe-upstream-error.ts";
import type { CallTarget } from "./resolve-target.ts";
import { createUpstreamFetch, HANDSHAKE_TIMEOUT_MS } from "./upstream-fetch.ts";

export interface ClientPool {
  /** `work` runs again in a new session when the upstream lost the old one. */
  use: <T>(target: CallTarget, work: (client: Client) => Promise<T>) => Promise<T>;
  stop: () => void;
}

interface PooledClient {
  client: Promise<Client>;
  /** Of the newest call: credentials change while a session lasts. */
  headers: Record<string, string>;
  users: number;
  idle_since: number;
}

const MAX_CLIENTS = 1000;
const IDLE_MS = 300_000;
const SWEEP_INTERVAL_MS = 60_000;

/** `onChanged` hears that an upstream has other tools than before. */
export function createClientPool(
  deps: Deps,
  reserveMemory: OpenReservation,
  onChanged: (target: CallTarget) => void,
): ClientPool {
  const kept = new Map<string, PooledClient>(); // least recently used first
  const sweeping = setInterval(() => {
    for (const [key, one] of kept) {
      if (one.users === 0 && elapsedMs() - one.idle_since > IDLE_MS) drop(key, one);
    }
  }, SWEEP_INTERVAL_MS);
  sweeping.unref();

  function drop(key: string, pooled: PooledClient): void {
    if (kept.get(key) === pooled) kept.delete(key);
    void pooled.client.then((client) => client.close()).catch(() => {});
  }

  function take(target: CallTarget): { pooled: PooledClient; fresh: boolean } {
    const known = kept.get(target.key);
    kept.delete(target.key);
    const pooled = known ?? open(target);
    pooled.headers = target.headers;
    kept.set(target.key, pooled);
    if (kept.size > MAX_CLIENTS) {
      for (const [key, one] of kept) {
        if (one.users > 0) continue;
        drop(key, one);
        break;
      }
    }
    return { pooled, fresh: known === undefined };
  }

  function open(target: CallTarget): PooledClient {
    const pooled: PooledClient = {
      headers: target.headers,
      users: 0,
      idle_since: elapsedMs(),
      client: connect(deps, reserveMemory, target, () => pooled.headers).then((client) => {
        client.setNotificationHandler("notifications/tools/list_changed", () => onChanged(target));
        return client;
      }),
    };
    return pooled;
  }

  async function use<T>(target: CallTarget, work: (client: Client) => Promise<T>): Promise<T> {
    const { pooled, fresh } = take(target);
    pooled.users += 1;
    try {
      return await work(await pooled.client);
    } catch (thrown) {
      if (!fresh && isSessionLost(thrown)) {
        drop(target.key, pooled);
        return await use(target, work);
      }
      // A client that never connected is of no use to the next call.
      await pooled.client.catch(() => drop(target.key, pooled));
      throw thrown;
    } finally {
      pooled.users -= 1;
      pooled.idle_since = elapsedMs();
    }
  }

  return {
    use,
    stop: () => {
      clearInterval(sweeping);
      for (const [key, one] of kept) drop(key, one);
    },
  };
}

async function connect(
  deps: Deps,
  reserveMemory: OpenReservation,
  { url, instance }: CallTarget,
  headers: () => Record<string, string>,
): Promise<Client> {
  const { allow_private } = instance;
  const client = new Client(
    { name: "portcullis", version: "1" },
    {
      versionNegotiation: {
        mode: "auto",
        probe: { timeoutMs: HANDSHAKE_TIMEOUT_MS, maxRetries: 0 },
      },
    },
  );
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: createUpstreamFetch(deps, {
      allow_private,
      reserveMemory: () => reserveMemory(`server ${instance.id}`),
      headers,
      onmessage: (message) => transport.onmessage?.(message),
    }),
    onInsufficientScope: "throw",
    reconnectionOptions: NO_RECONNECTION,
  });
  await client.connect(transport, { timeout: HANDSHAKE_TIMEOUT_MS });
  return client;
}

const NO_RECONNECTION = {
  maxRetries: 0,
  initialReconnectionDelay: 1000,
  maxReconnectionDelay: 1000,
  reconnectionDelayGrowFactor: 1,
};
