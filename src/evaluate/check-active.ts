/** Rejects a collector key or service client that is known but revoked or expired. */
import { AppError } from "../contract/errors.ts";
import type { Deps } from "../deps.ts";
import type { CollectorKeyView } from "../snapshot/snapshot.ts";

export function checkActive(deps: Deps, key: CollectorKeyView, kind: string): void {
  if (key.revoked) throw new AppError("forbidden", `This ${kind} was revoked.`);
  if (key.expires_at <= deps.now().getTime()) {
    throw new AppError("forbidden", `This ${kind} has expired.`);
  }
}
