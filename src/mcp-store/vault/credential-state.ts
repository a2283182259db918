/** Computes the state of a stored account. In every state but `usable` the principal must connect again. */
import type { StoreCredentialRow } from "../../db/tables/store-credentials.ts";
import type { Keyring } from "../../lib/crypto/seal.ts";
import { isExpired } from "../../lib/time/duration.ts";
import { type CredentialToken, openCredential } from "./credential-row.ts";

export type CredentialState = "missing" | "unbound" | "unreadable" | "expired" | "usable";

export function readCredentialState(
  keyring: Keyring,
  row: StoreCredentialRow | undefined,
  at: Date,
): CredentialState {
  if (!row) return "missing";
  if (row.registration_id === null) return "unbound";
  const opens = (column: CredentialToken) => openCredential(keyring, row, column) !== undefined;
  if (!opens("access_token")) return "unreadable";
  // A refresh token gives a new access token without the principal.
  return isExpired(row.expires_at, at) && !opens("refresh_token") ? "expired" : "usable";
}
