/** Opens the body that a client uploads, and reserves memory for the bytes that are held. */
import type { Deps } from "../../deps.ts";
import { type BodyLimits, type IncomingBody, openBody } from "../../read-body.ts";
import type { AuthenticatedRequest } from "../stages.ts";

export const openUpload = (
  { request, progress }: AuthenticatedRequest,
  limits: BodyLimits,
): IncomingBody =>
  openBody(request, limits, (count) => {
    progress.request_bytes += count;
  });

/** Returns a function that reserves bytes of the consumer's share of the budget until this request ends. */
export function createByteReservation(
  { heldBytes }: Deps,
  { consumer, progress }: AuthenticatedRequest,
): (bytes: number) => void {
  const { add, release } = heldBytes.open(consumer.id);
  progress.cleanups.push(release);
  return add;
}
