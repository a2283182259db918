/** Can a stored account still be used? Missing, unreadable and expired all mean: connect again. */
import type { StoreCredentialRow } from "../db/store-credentials.ts";
import { hasEnded } from "../lib/has-ended.ts";
import type { Keyring } from "../lib/seal.ts";
import { type CredentialToken, openCredential } from "./vault/credential-row.ts";

export type CredentialState = "missing" | "unreadable" | "expired" | "usable";

export function credentialState(
  keyring: Keyring,
  row: Pick<StoreCredentialRow, "id" | "access_token" | "refresh_token" | "expires_at"> | undefined,
  at: Date,
): CredentialState {
  if (!row) return "missing";
  const opens = (column: CredentialToken) => openCredential(keyring, row, column) !== undefined;
  if (!opens("access_token")) return "unreadable";
  // A refresh token brings a new access token without the principal.
  return hasEnded(row.expires_at, at) && !opens("refresh_token") ? "expired" : "usable";
}
