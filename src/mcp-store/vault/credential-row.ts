/** Converts a token response to columns of store_credentials with sealed tokens, and decrypts those tokens. */
import type { OAuthTokens } from "@modelcontextprotocol/client";
import { AppError } from "../../contract/errors.ts";
import { sealContextOf } from "../../db/sealed-columns.ts";
import type { StoreCredentialRow } from "../../db/tables/store-credentials.ts";
import type { Deps } from "../../deps.ts";
import { type Keyring, type SealContext, seal, unseal } from "../../lib/crypto/seal.ts";
import { isHeaderValue } from "../../net/http/write-header-block.ts";
import { readUnverifiedClaims } from "../principals/verify-jwt.ts";

export type CredentialToken = "access_token" | "refresh_token";

const sealContext = (column: CredentialToken, id: string): SealContext =>
  sealContextOf(`store_credentials.${column}`, id);

/** Returns undefined when the row has no such token, or it cannot be decrypted. */
export function openCredential(
  keyring: Keyring,
  row: Pick<StoreCredentialRow, "id" | CredentialToken>,
  column: CredentialToken,
): string | undefined {
  const sealed = row[column];
  return sealed === null ? undefined : unseal(keyring, sealContext(column, row.id), sealed);
}

/** `id` is the id of the row. `scopes` apply when the response has none. */
export function toCredentialColumns(
  deps: Deps,
  id: string,
  tokens: OAuthTokens,
  scopes: readonly string[],
) {
  const sealed = (column: CredentialToken, token: string) =>
    seal(deps.keyring(), sealContext(column, id), token);
  const at = deps.now();
  const { access_token, refresh_token, expires_in, scope } = tokens;
  if (access_token === "" || !isHeaderValue(access_token)) {
    throw new AppError(
      "upstream_failed",
      "The authorization server issued an access token that cannot be sent: it is empty, or has characters that a header cannot contain.",
    );
  }
  return {
    access_token: sealed("access_token", access_token),
    refresh_token: refresh_token === undefined ? null : sealed("refresh_token", refresh_token),
    scopes: scope === undefined ? [...scopes] : scope.split(" ").filter(Boolean),
    expires_at: expires_in === undefined ? null : addSeconds(at, expires_in),
    updated_at: at.toISOString(),
  } satisfies Partial<StoreCredentialRow>;
}

/** 100 years: some servers send the largest integer for "never expires", which exceeds the range of a date. */
const MAX_LIFE_S = 100 * 365 * 86_400;

const addSeconds = (at: Date, seconds: number): string =>
  new Date(at.getTime() + Math.min(Math.max(seconds, 0), MAX_LIFE_S) * 1000).toISOString();

const MAX_ACCOUNT_LENGTH = 255;

/** Returns a name for people to recognize. Not verified: the id token comes from the token endpoint itself (OpenID Connect Core 3.1.3.7). */
export function readAccountName({ id_token }: OAuthTokens): string {
  const claims = (id_token && readUnverifiedClaims(id_token)) || {};
  const name = claims.email ?? claims.preferred_username ?? claims.sub;
  // Postgres rejects NUL.
  return typeof name === "string" ? name.replaceAll("\0", "").slice(0, MAX_ACCOUNT_LENGTH) : "";
}
