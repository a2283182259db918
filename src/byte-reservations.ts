/** Limits the memory that requests in flight take, for each holder and in total. */
import { AppError } from "./contract/errors.ts";
import { createByteBudget } from "./lib/concurrency/byte-budget.ts";
import type { Settings } from "./settings.ts";

export interface ByteReservation {
  /** Throws 413 when the message can never fit, and 429 while the budget is exhausted. */
  add: (bytes: number) => void;
  /** Releases everything that was added. */
  release: () => void;
}

/** `holder`: a consumer, a collector, an administrator, or a caller or upstream server of the MCP endpoint. */
export type OpenReservation = (holder: string) => ByteReservation;

export interface ByteReservations {
  open: OpenReservation;
  /** Bytes of all holders. */
  readonly reserved: number;
}

/** Share of the total that one holder may take, so that its stalled clients do not block others. */
const MAX_SHARE = 1 / 4;

export function createByteReservations({ IN_FLIGHT_MIB }: Settings): ByteReservations {
  const max = IN_FLIGHT_MIB * 1024 * 1024;
  const maxPerHolder = max * MAX_SHARE;
  const budget = createByteBudget(max, maxPerHolder);
  const open: OpenReservation = (holder) => {
    let held = 0;
    let released = false;
    return {
      add(bytes) {
        // The client has disconnected, and further bytes are dropped.
        if (released) return;
        if (held + bytes > maxPerHolder) throw tooLarge(maxPerHolder);
        if (!budget.reserve(holder, bytes)) throw overloaded();
        held += bytes;
      },
      release() {
        if (!released) budget.release(holder, held);
        released = true;
      },
    };
  };
  return {
    open,
    get reserved() {
      return budget.reserved;
    },
  };
}

function tooLarge(max: number): AppError {
  const mib = max / 1024 / 1024;
  const text = `The message needs more than ${mib} MiB of memory while it is processed.`;
  return new AppError("too_large", text);
}

/** Returns a 429 instead of a 503: many clients treat 503 as an outage and do not retry. */
const overloaded = (): AppError =>
  new AppError("overloaded", undefined, { details: { retry_after: "1" } });
