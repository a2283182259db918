/** Reserves memory for a request in the budget that all requests share. */
import { AppError } from "./contract/errors.ts";
import type { Deps } from "./deps.ts";

export interface ByteReservation {
  /** Throws 429 while the budget is exhausted. */
  add: (bytes: number) => void;
  /** Releases everything that was added. */
  release: () => void;
}

/** Share of the budget that several requests of one holder may take, so that its stalled clients do not block others. */
const MAX_SHARE = 3 / 4;

/**
 * `holder`: a consumer, a collector or an administrator. A single request may take more than the share: it is rejected
 * only if the holder's other requests take more than the rest.
 */
export function reserveBytes(
  { heldBytes }: Pick<Deps, "heldBytes">,
  holder: string,
): ByteReservation {
  const { max } = heldBytes;
  let reserved = 0;
  let released = false;
  return {
    add(bytes) {
      // The client has disconnected, and further bytes are dropped.
      if (released) return;
      const held = heldBytes.heldBy(holder);
      if (held + bytes > max * MAX_SHARE && held - reserved > max * (1 - MAX_SHARE)) {
        throw overloaded(SHARE_EXCEEDED);
      }
      if (!heldBytes.reserve(holder, bytes)) throw overloaded();
      reserved += bytes;
    },
    release() {
      if (!released) heldBytes.release(holder, reserved);
      released = true;
    },
  };
}

const SHARE_EXCEEDED =
  "The requests of this caller that are in progress hold three quarters of IN_FLIGHT_MIB. Try again when some of them have ended.";

/** Returns a 429 instead of a 503: many clients treat 503 as an outage and do not retry. */
export const overloaded = (message?: string): AppError =>
  new AppError("overloaded", message, { details: { retry_after: "1" } });
