/** Whether a key or token works now. */

import { AppError } from "../contract/errors.ts";
import type { KEY_STATES } from "../contract/keys.ts";
import type { Deps } from "../deps.ts";
import { hasEnded } from "../lib/has-ended.ts";

export function keyState(
  deps: Pick<Deps, "now">,
  row: { revoked_at: string | null; expires_at: string | null },
): (typeof KEY_STATES)[number] {
  if (row.revoked_at) return "revoked";
  return hasEnded(row.expires_at, deps.now()) ? "expired" : "active";
}

export function checkExpiry(deps: Deps, expires_at: string | null): void {
  if (hasEnded(expires_at, deps.now())) {
    throw new AppError("validation_failed", "expires_at: must be in the future");
  }
}
