/** Can a stored account still be used? Missing, unreadable and expired all mean: connect again. */
import type { StoreCredentialRow } from "../db/store-credentials.ts";
import { hasEnded } from "../lib/has-ended.ts";
import { type Keyring, unseal } from "../lib/seal.ts";

export type CredentialState = "missing" | "unreadable" | "expired" | "usable";

export function credentialState(
  keyring: Keyring,
  row: Pick<StoreCredentialRow, "access_token" | "refresh_token" | "expires_at"> | undefined,
  at: Date,
): CredentialState {
  if (!row) return "missing";
  const opens = (sealed: string | null) => sealed !== null && unseal(keyring, sealed) !== undefined;
  if (!opens(row.access_token)) return "unreadable";
  // A refresh token brings a new access token without the principal.
  return hasEnded(row.expires_at, at) && !opens(row.refresh_token) ? "expired" : "usable";
}
