/** Stops running exchanges whose deadline has passed or whose client has disconnected. */
import { AppError } from "../../contract/errors.ts";
import { createCoarseTimer } from "../../lib/time/coarse-timer.ts";
import { asUpstreamError } from "../upstream-error.ts";
import { type Connection, stop } from "./connection.ts";

export interface Watch {
  add: (connection: Connection) => void;
  remove: (connection: Connection) => void;
  /** Called when an exchange begins. */
  start: () => void;
}

/** Replaces a timer and an abort listener for each exchange. `end` stops every exchange with its reason. */
export function createWatch(end?: AbortSignal): Watch {
  const open = new Set<Connection>();
  const start = createCoarseTimer((now) => {
    let running = false;
    for (const connection of open) {
      const { exchange } = connection;
      if (!exchange) continue;
      running = true;
      const { signal, client } = exchange.outgoing;
      const { aborted, reason } = end?.aborted ? end : (signal ?? client?.signal ?? ALIVE);
      if (aborted) stop(connection, exchange, asUpstreamError(reason));
      else if (now >= exchange.due) stop(connection, exchange, new AppError("upstream_timeout"));
    }
    return running;
  });
  return {
    add: (connection) => open.add(connection),
    remove: (connection) => open.delete(connection),
    start,
  };
}

const ALIVE = { aborted: false, reason: undefined };
