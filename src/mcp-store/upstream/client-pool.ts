/** Pools connected clients of upstream MCP servers, because a handshake costs more than a call. */
import { Client } from "@modelcontextprotocol/client";
import type { Deps } from "../../deps.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import type { OpenReservation } from "../memory-reservations.ts";
import { isSessionLost } from "./describe-upstream-error.ts";
import type { CallTarget } from "./resolve-target.ts";
import {
  createUpstreamTransport,
  HANDSHAKE_TIMEOUT_MS,
  type UpstreamTransport,
} from "./upstream-transport.ts";

export interface ClientPool {
  /** Runs `work` again in a new session when the upstream has lost the old one. */
  use: <T>(target: CallTarget, work: (connection: UpstreamConnection) => Promise<T>) => Promise<T>;
  stop: () => void;
}

/** A client of the SDK after its handshake, and the transport that it shares with calls. */
export interface UpstreamConnection {
  client: Client;
  transport: UpstreamTransport;
  /** Number of calls without the client. */
  calls: number;
}

interface PooledClient {
  connection: Promise<UpstreamConnection>;
  /** Headers of the newest call: credentials can change during a session. */
  headers: Record<string, string>;
  users: number;
  idle_since: number;
}

export const CLIENT_INFO = { name: "portcullis", version: "1" } as const;

const MAX_CLIENTS = 1000;
const IDLE_MS = 300_000;
const SWEEP_INTERVAL_MS = 60_000;

/** `onChanged` is called when an upstream reports that its tools have changed. */
export function createClientPool(
  deps: Deps,
  reserveMemory: OpenReservation,
  onChanged: (target: CallTarget) => void,
): ClientPool {
  const clients = new Map<string, PooledClient>(); // least recently used first
  const sweepTimer = setInterval(() => {
    for (const [key, one] of clients) {
      if (one.users === 0 && elapsedMs() - one.idle_since > IDLE_MS) drop(key, one);
    }
  }, SWEEP_INTERVAL_MS);
  sweepTimer.unref();

  function drop(key: string, pooled: PooledClient): void {
    if (clients.get(key) === pooled) clients.delete(key);
    void pooled.connection.then(({ client }) => client.close()).catch(() => {});
  }

  function take(target: CallTarget): { pooled: PooledClient; isNew: boolean } {
    const known = clients.get(target.key);
    clients.delete(target.key);
    const pooled = known ?? open(target);
    pooled.headers = target.headers;
    clients.set(target.key, pooled);
    if (clients.size > MAX_CLIENTS) {
      for (const [key, one] of clients) {
        if (one.users > 0) continue;
        drop(key, one);
        break;
      }
    }
    return { pooled, isNew: known === undefined };
  }

  function open(target: CallTarget): PooledClient {
    const pooled: PooledClient = {
      headers: target.headers,
      users: 0,
      idle_since: elapsedMs(),
      connection: connect(deps, reserveMemory, target, () => pooled.headers).then((opened) => {
        const changed = "notifications/tools/list_changed";
        opened.client.setNotificationHandler(changed, () => onChanged(target));
        return opened;
      }),
    };
    return pooled;
  }

  async function use<T>(
    target: CallTarget,
    work: (connection: UpstreamConnection) => Promise<T>,
  ): Promise<T> {
    const { pooled, isNew } = take(target);
    pooled.users += 1;
    try {
      return await work(await pooled.connection);
    } catch (thrown) {
      if (!isNew && isSessionLost(thrown)) {
        drop(target.key, pooled);
        return await use(target, work);
      }
      // Removes a client whose connection failed.
      await pooled.connection.catch(() => drop(target.key, pooled));
      throw thrown;
    } finally {
      pooled.users -= 1;
      pooled.idle_since = elapsedMs();
    }
  }

  return {
    use,
    stop: () => {
      clearInterval(sweepTimer);
      for (const [key, one] of clients) drop(key, one);
    },
  };
}

async function connect(
  deps: Deps,
  reserveMemory: OpenReservation,
  { url, instance }: CallTarget,
  headers: () => Record<string, string>,
): Promise<UpstreamConnection> {
  const { allow_private } = instance;
  const client = new Client(CLIENT_INFO, {
    versionNegotiation: {
      mode: "auto",
      probe: { timeoutMs: HANDSHAKE_TIMEOUT_MS, maxRetries: 0 },
    },
  });
  const owner = `server ${instance.id}`;
  const transport = createUpstreamTransport(deps, {
    url,
    allow_private,
    reserveMemory: () => reserveMemory(owner),
    owner,
    headers,
  });
  await client.connect(transport, { timeout: HANDSHAKE_TIMEOUT_MS });
  return { client, transport, calls: 0 };
}
