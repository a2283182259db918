/** Connections that wait for their next request, by the place they lead to. */
import { elapsedMs } from "../../lib/time/clock.ts";
import type { Connection } from "./connection.ts";
import type { ReplyHeaders } from "./reply-head.ts";

export interface Pool {
  /** One that leads to one of these addresses: what a name no longer stands for is not used again. */
  take: (place: string, addresses: readonly string[]) => Connection | undefined;
  give: (place: string, connection: Connection, headers: ReplyHeaders) => void;
  remove: (place: string, connection: Connection) => void;
}

const MAX_WAITING = 256;
const LONGEST_S = 60;
/** Where the upstream says nothing: less than the 60 s of load balancers. */
const UNSAID_S = 50;
/** Model servers close after 5 s, and a connection without TLS is made anew in no time. */
const UNSAID_PLAIN_S = 4;
/** Closed a little before the upstream does it: a request on its way would meet the end. */
const MARGIN_S = 1;

export function createPool(): Pool {
  const places = new Map<string, Connection[]>();
  return {
    take(place, addresses) {
      const waiting = places.get(place);
      for (let last = waiting?.pop(); last; last = waiting?.pop()) {
        if (last.waits_until > elapsedMs() && addresses.includes(last.address)) return last;
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
      const seconds = restS(place, headers.get("keep-alive"));
      if (seconds <= 0 || waiting.length >= MAX_WAITING) {
        connection.socket.terminate();
        return;
      }
      connection.socket.timeout(seconds);
      connection.waits_until = elapsedMs() + seconds * 1000;
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

/** How long the upstream keeps it, as it says or as others do. */
function restS(place: string, keepAlive: string | undefined): number {
  const said = keepAlive && /(?:^|[,;\s])timeout=([0-9]{1,9})/i.exec(keepAlive)?.[1];
  if (said) return Math.min(LONGEST_S, Number(said) - MARGIN_S);
  return place.startsWith("https:") ? UNSAID_S : UNSAID_PLAIN_S;
}
