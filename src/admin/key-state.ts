/** Keys and tokens of every kind: how one begins, whether it works now, and what is shown of it. */
import { AppError } from "../contract/errors.ts";
import type { KEY_STATES } from "../contract/keys.ts";
import type { Deps } from "../deps.ts";
import { isExpired } from "../lib/time/duration.ts";

interface Held {
  revoked_at: string | null;
  expires_at: string | null;
}

export function keyState(deps: Pick<Deps, "now">, row: Held): (typeof KEY_STATES)[number] {
  if (row.revoked_at) return "revoked";
  return isExpired(row.expires_at, deps.now()) ? "expired" : "active";
}

/** As the API shows it. */
export function toKeyReply<Row extends Held & { hash: string }>(deps: Deps, row: Row) {
  const { hash: _, ...shown } = row;
  return { ...shown, state: keyState(deps, row) };
}

/** What every key and token begins with. */
export const newKeyColumns = (deps: Deps, hash: string, hint: string) => ({
  id: deps.newId(),
  hash,
  hint,
  revoked_at: null,
  last_used_at: null,
  created_at: deps.now().toISOString(),
});

export function checkExpiry(deps: Deps, expires_at: string | null): void {
  if (isExpired(expires_at, deps.now())) {
    throw new AppError("validation_failed", "expires_at: must be in the future");
  }
}
