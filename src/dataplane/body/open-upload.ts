/** Opens the body that a client uploads, and reserves memory for the bytes that are held. */
import type { Deps } from "../../deps.ts";
import { type BodyLimits, type IncomingBody, openBody } from "../../read-body.ts";
import { type ByteReservation, reserveBytes } from "../../reserve-bytes.ts";
import type { AuthenticatedRequest } from "../stages.ts";

export const openUpload = (
  { request, progress }: AuthenticatedRequest,
  limits: BodyLimits,
): IncomingBody =>
  openBody(request, limits, (count) => {
    progress.request_bytes += count;
  });

/** Returns the reservation of bytes in the budget of all requests, which lasts until this request ends. */
export function getByteReservation(
  deps: Deps,
  { consumer, progress }: AuthenticatedRequest,
): ByteReservation {
  progress.reservation ??= reserveBytes(deps, consumer.id);
  return progress.reservation;
}
