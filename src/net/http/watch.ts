/** Looks at the running exchanges a few times a second: is the wait over, does anybody still want the answer? */
import { AppError } from "../../contract/errors.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
import { asUpstreamError } from "../upstream-error.ts";
import { type Connection, stop } from "./connection.ts";

export interface Watch {
  add: (connection: Connection) => void;
  remove: (connection: Connection) => void;
  /** An exchange begins. */
  start: () => void;
}

/** Instead of a timer and a listener for each exchange, which most of them never need. */
export const LOOK_EVERY_MS = 50;

/** `end` stops every exchange with its reason. */
export function createWatch(end?: AbortSignal): Watch {
  const open = new Set<Connection>();
  let timer: Timer | undefined;

  const look = () => {
    const now = elapsedMs();
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
    if (running) return;
    clearInterval(timer);
    timer = undefined;
  };
  return {
    add: (connection) => open.add(connection),
    remove: (connection) => open.delete(connection),
    start: () => {
      timer ??= setInterval(look, LOOK_EVERY_MS);
    },
  };
}

const ALIVE = { aborted: false, reason: undefined };
