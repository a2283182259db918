/** Stops running exchanges whose deadline has passed or whose client has disconnected. */
import { AppError } from "../../contract/errors.ts";
import { createCoarseTimer } from "../../lib/time/coarse-timer.ts";
import { toUpstreamError } from "../to-upstream-error.ts";
import { type Connection, stopExchange } from "./connection.ts";

export interface ExchangeWatch {
  add: (connection: Connection) => void;
  remove: (connection: Connection) => void;
  /** Called when an exchange begins. */
  start: () => void;
}

/** Replaces a timer and an abort listener per exchange. `end` stops every exchange with its reason. */
export function createExchangeWatch(end?: AbortSignal): ExchangeWatch {
  const open = new Set<Connection>();
  const start = createCoarseTimer((now) => {
    let running = false;
    for (const connection of open) {
      const { exchange } = connection;
      if (!exchange) continue;
      running = true;
      const { signal, client } = exchange.outgoing;
      const { aborted, reason } = end?.aborted ? end : (signal ?? client?.signal ?? NOT_ABORTED);
      if (aborted) stopExchange(connection, exchange, toUpstreamError(reason));
      else if (now >= exchange.deadline)
        stopExchange(connection, exchange, new AppError("upstream_timeout"));
    }
    return running;
  });
  return {
    add: (connection) => open.add(connection),
    remove: (connection) => open.delete(connection),
    start,
  };
}

const NOT_ABORTED = { aborted: false, reason: undefined };
