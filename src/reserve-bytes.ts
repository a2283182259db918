/** Reserves memory for a request in the budget that all requests share. */
import { AppError } from "./contract/errors.ts";
import type { Deps } from "./deps.ts";

export interface ByteReservation {
  /** Throws if `add` would, and reserves nothing. */
  check: (bytes: number) => void;
  /** Throws 429 while the budget is exhausted. */
  add: (bytes: number) => void;
  /** Releases everything that was added. */
  release: () => void;
}

/**
 * `holder`: a consumer, a collector or an administrator. `share`: part of the budget that several requests of one holder
 * may take, so that its stalled clients do not block others. A single request may take more: it is rejected only if the
 * holder's other requests take more than the share, or than the rest of the budget.
 */
export function reserveBytes(
  { heldBytes }: Pick<Deps, "heldBytes">,
  holder: string,
  share = 3 / 4,
): ByteReservation {
  const { max } = heldBytes;
  const maxOthers = max * Math.min(share, 1 - share);
  let reserved = 0;
  let released = false;
  const check = (bytes: number) => {
    const held = heldBytes.heldBy(holder);
    if (held + bytes > max * share && held - reserved > maxOthers) {
      throw overloaded(SHARE_EXCEEDED);
    }
    if (!heldBytes.fits(bytes)) throw overloaded();
  };
  return {
    check,
    add(bytes) {
      // The client has disconnected, and further bytes are dropped.
      if (released) return;
      check(bytes);
      heldBytes.reserve(holder, bytes);
      reserved += bytes;
    },
    release() {
      if (!released) heldBytes.release(holder, reserved);
      released = true;
    },
  };
}

const SHARE_EXCEEDED =
  "The requests of this caller that are in progress hold its share of the memory for request bodies (IN_FLIGHT_MIB). Try again when some of them have ended.";

/** Returns a 429 instead of a 503: many clients treat 503 as an outage and do not retry. */
export const overloaded = (message?: string): AppError =>
  new AppError("overloaded", message, { details: { retry_after: "1" } });
