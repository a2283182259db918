/** Limits the memory that MCP messages in flight take, for each caller and upstream server and in total. */
import { AppError } from "../contract/errors.ts";
import { createSharedByteBudget } from "../lib/concurrency/byte-budget.ts";
import type { Settings } from "../settings.ts";

/** What one request, or one response of an upstream, holds. */
export interface MemoryReservation {
  /** Throws when it could never fit (413), or does not fit now (429). */
  add: (bytes: number) => void;
  /** Gives everything back. */
  release: () => void;
}

/** `holder`: a caller or an upstream server. */
export type OpenReservation = (holder: string) => MemoryReservation;

/** The part of all memory that one holder may take. */
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
        // The client has gone: what comes now is dropped.
        if (released) return;
        if (held + bytes > maxPerHolder) {
          const mib = Math.floor(maxPerHolder / 1024 / 1024);
          const text = `The message takes more than ${mib} MiB of memory once it is parsed.`;
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
