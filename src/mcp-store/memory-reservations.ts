/** Limits the memory that MCP messages in flight take, for each caller and upstream server and in total. */
import { AppError } from "../contract/errors.ts";
import { createByteBudget } from "../lib/concurrency/byte-budget.ts";
import { type ByteReservation, overloaded } from "../reserve-bytes.ts";
import type { Settings } from "../settings.ts";

/** `holder`: a caller or an upstream server. `add` throws 413 when the message can never fit. */
export type OpenReservation = (holder: string) => ByteReservation;

/** Share of the total that one holder may take. */
const MAX_SHARE = 1 / 4;

export function createMemoryReservations({ IN_FLIGHT_MIB }: Settings): OpenReservation {
  const max = IN_FLIGHT_MIB * 1024 * 1024;
  const maxPerHolder = max * MAX_SHARE;
  const budget = createByteBudget(max);
  return (holder) => {
    let held = 0;
    let released = false;
    const check = (bytes: number) => {
      if (held + bytes > maxPerHolder) {
        const mib = Math.floor(maxPerHolder / 1024 / 1024);
        const text = `The message needs more than ${mib} MiB of memory once it is parsed.`;
        throw new AppError("too_large", text);
      }
      const isFull = budget.heldBy(holder) + bytes > maxPerHolder;
      if (isFull || !budget.fits(bytes)) throw overloaded();
    };
    return {
      check,
      add(bytes) {
        // The client has disconnected, and further bytes are dropped.
        if (released) return;
        check(bytes);
        budget.reserve(holder, bytes);
        held += bytes;
      },
      release() {
        if (!released) budget.release(holder, held);
        released = true;
      },
    };
  };
}
