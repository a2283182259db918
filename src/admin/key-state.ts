/** State, initial columns and API shape of keys and tokens of every kind. */
import { AppError } from "../contract/errors.ts";
import type { KEY_STATES } from "../contract/keys.ts";
import type { Deps } from "../deps.ts";
import { isExpired } from "../lib/time/duration.ts";

interface ExpiringRow {
  revoked_at: string | null;
  expires_at: string | null;
}

export function keyState(deps: Pick<Deps, "now">, row: ExpiringRow): (typeof KEY_STATES)[number] {
  if (row.revoked_at) return "revoked";
  return isExpired(row.expires_at, deps.now()) ? "expired" : "active";
}

/** Converts a row to its API shape: without the hash, with the state. */
export function toKeyReply<Row extends ExpiringRow & { hash: string }>(deps: Deps, row: Row) {
  const { hash: _, ...members } = row;
  return { ...members, state: keyState(deps, row) };
}

/** Returns the columns that every new key or token has. */
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
