/** Reads the body that a client uploads, and counts what is held of it. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import { type BodyLimits, bodyLimits, type IncomingBody, openBody } from "../read-body.ts";
import type { DataEndpoint } from "./match-endpoint.ts";
import type { AuthenticatedRequest } from "./stages.ts";

export type Upload = IncomingBody;

export const uploadLimits = (deps: Deps, cap: DataEndpoint["form_cap"]): BodyLimits =>
  bodyLimits(deps, deps.settings[cap] * 1024 * 1024);

export const openUpload = (
  { request, progress }: AuthenticatedRequest,
  limits: BodyLimits,
): Upload =>
  openBody(request, limits, (count) => {
    progress.request_bytes += count;
  });

/** Takes from the budget of all requests; what was taken comes back when this one is over. */
export function createByteReservation(
  { heldBytes }: Deps,
  { progress }: AuthenticatedRequest,
): (bytes: number) => void {
  let taken = 0;
  progress.cleanups.push(() => heldBytes.release(taken));
  return (bytes) => {
    if (!heldBytes.reserve(bytes)) throw new AppError("overloaded", undefined, RETRY_SOON);
    taken += bytes;
  };
}

const RETRY_SOON = { details: { retry_after: "1" } };
