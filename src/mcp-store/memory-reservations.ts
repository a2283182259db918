/** Limits the memory that MCP messages in flight take, for each caller and upstream server and in total. */
import { AppError } from "../contract/errors.ts";
import { createSharedByteBudget } from "../lib/concurrency/byte-budget.ts";
import type { Settings } from "../settings.ts";

/** Memory of one request, or of one response of an upstream. */
export interface MemoryReservation {
  /** Throws 413 when the message can never fit, and 429 when it does not fit now. */
  add: (bytes: number) => void;
  /** Releases everything that was added. */
  release: () => void;
}

/** `holder`: a caller or an upstream server. */
export type OpenReservation = (holder: string) => MemoryReservation;

/** Share of the total that one holder may take. */
const MAX_SHARE = 1 / 4;

export function createMemoryReservations({ IN_FLIGHT_MIB }: Settings): OpenReservation {
  const max = IN_FLIGHT_MIB * 1024 * 1024;
  const maxPerHolder = max * MAX_SHARE;
  const budget = createSharedByteBudget(max, maxPerHolder);
  return (holder) => {
    let held = 0;
    let released = false;
    return {
      add(bytes) {
        // The client has disconnected, and further bytes are dropped.
        if (released) return;
        if (held + bytes > maxPerHolder) {
          const mib = Math.floor(maxPerHolder / 1024 / 1024);
          const text = `The message needs more than ${mib} MiB of memory once it is parsed.`;
          throw new AppError("too_large", text);
        }
        if (!budget.reserve(holder, bytes)) {
          throw new AppError("overloaded", undefined, { details: { retry_after: "1" } });
        }
        held += bytes;
      },
      release() {
        if (!released) budget.release(holder, held);
        released = true;
      },
    };
  };
}
