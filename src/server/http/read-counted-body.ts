/** Reads the body of an administrative request or a form, counted against the memory budget of both. */
import type { Deps } from "../../deps.ts";
import { createByteBudget } from "../../lib/concurrency/byte-budget.ts";
import { bodyLimits, readBody } from "../../read-body.ts";
import { type ByteReservation, reserveBytes } from "../../reserve-bytes.ts";
import type { Settings } from "../../settings.ts";

/** Apart from that of other planes, so that neither applications nor administrators can block the others. */
export const createAdminBudget = ({ IN_FLIGHT_MIB, ADMIN_BODY_MIB }: Settings) =>
  createByteBudget(Math.max(IN_FLIGHT_MIB / 4, ADMIN_BODY_MIB * MAX_WEIGHT) * 1024 * 1024);

/** A parsed body takes up to this many times its size: 120 bytes for each `[],`. */
const MAX_WEIGHT = 42;

/** Not counted, so that ordinary changes and sign-ins are accepted while larger bodies fill the budget. */
export const UNCOUNTED_BYTES = 8 * 1024;

/** Shares of one administrator, and of all unauthenticated clients together. */
const MAX_SHARE = 1 / 4;
const MAX_PUBLIC_SHARE = 1 / 32;

/** `holder`: id of the administrator's token; null for unauthenticated clients. */
export const reserveAdminBytes = (
  { adminBytes: heldBytes }: Pick<Deps, "adminBytes">,
  holder: string | null,
): ByteReservation =>
  reserveBytes({ heldBytes }, holder ?? "", holder === null ? MAX_PUBLIC_SHARE : MAX_SHARE);

export function readCountedBody(
  deps: Deps,
  request: Request,
  cap: Parameters<typeof bodyLimits>[1],
  memory: ByteReservation,
): Promise<Uint8Array<ArrayBuffer>> {
  let received = 0;
  return readBody(request, bodyLimits(deps, cap), {
    onLength: (length) => memory.check(Math.max(length - UNCOUNTED_BYTES, 0)),
    onBytes(count) {
      received += count;
      if (received > UNCOUNTED_BYTES) memory.add(Math.min(count, received - UNCOUNTED_BYTES));
    },
  });
}
