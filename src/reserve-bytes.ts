/** Reserves memory for a request in the budget that all requests share. */
import { AppError } from "./contract/errors.ts";
import type { Deps } from "./deps.ts";

export interface ByteReservation {
  /** Throws 429 while the budget is exhausted. */
  add: (bytes: number) => void;
  /** Releases everything that was added. */
  release: () => void;
}

export function reserveBytes({ heldBytes }: Pick<Deps, "heldBytes">): ByteReservation {
  let reserved = 0;
  return {
    add(bytes) {
      if (!heldBytes.reserve(bytes)) throw overloaded();
      reserved += bytes;
    },
    release: () => heldBytes.release(reserved),
  };
}

/** Returns a 429 instead of a 503: many clients treat 503 as an outage and do not retry. */
export const overloaded = (): AppError =>
  new AppError("overloaded", undefined, { details: { retry_after: "1" } });
