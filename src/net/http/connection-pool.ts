/** A pool of idle connections by target. */
import { elapsedMs } from "../../lib/time/clock.ts";
import type { Connection } from "./connection.ts";
import type { ReplyHeaders } from "./read-header-block.ts";

export interface ConnectionPool {
  /** Returns a connection to one of these addresses; connections to outdated addresses are not reused. */
  take: (place: string, addresses: readonly string[]) => Connection | undefined;
  give: (place: string, connection: Connection, headers: ReplyHeaders) => void;
  remove: (place: string, connection: Connection) => void;
}

const MAX_IDLE = 256;
const MAX_IDLE_S = 60;
/** Default idle time, below the 60 s of load balancers. */
const DEFAULT_TLS_IDLE_S = 50;
/** Idle time without TLS: model servers close after 5 s, and a new connection is cheap. */
const DEFAULT_PLAIN_IDLE_S = 4;
/** Closes connections before the upstream does, so that no request meets a closing connection. */
const MARGIN_S = 1;

export function createConnectionPool(): ConnectionPool {
  const places = new Map<string, Connection[]>();
  return {
    take(place, addresses) {
      const waiting = places.get(place);
      for (let last = waiting?.pop(); last; last = waiting?.pop()) {
        if (last.idle_until > elapsedMs() && addresses.includes(last.address)) return last;
        last.socket.terminate();
      }
      return undefined;
    },
    give(place, connection, headers) {
      let waiting = places.get(place);
      if (!waiting) {
        waiting = [];
        places.set(place, waiting);
      }
      const seconds = readIdleS(place, headers.get("keep-alive"));
      if (seconds <= 0 || waiting.length >= MAX_IDLE) {
        connection.socket.terminate();
        return;
      }
      connection.socket.timeout(seconds);
      connection.idle_until = elapsedMs() + seconds * 1000;
      waiting.push(connection);
    },
    remove(place, connection) {
      const waiting = places.get(place);
      const at = waiting?.indexOf(connection) ?? -1;
      if (at >= 0) waiting?.splice(at, 1);
      if (waiting?.length === 0) places.delete(place);
    },
  };
}

/** Returns the idle time from `Keep-Alive`, or the default. */
function readIdleS(place: string, keepAlive: string | undefined): number {
  const said = keepAlive && /(?:^|[,;\s])timeout=([0-9]{1,9})/i.exec(keepAlive)?.[1];
  if (said) return Math.min(MAX_IDLE_S, Number(said) - MARGIN_S);
  return place.startsWith("https:") ? DEFAULT_TLS_IDLE_S : DEFAULT_PLAIN_IDLE_S;
}
