/** Lists, rotates, links and revokes the personal tokens of a principal, at their own request. */
import { AppError } from "../../contract/errors.ts";
import { type AuditAuthor, recordChange } from "../../db/record-change.ts";
import { type PrincipalTokenRow, principalTokenTable } from "../../db/tables/principal-tokens.ts";
import { storeCredentialTable } from "../../db/tables/store-credentials.ts";
import { storeInstallTable } from "../../db/tables/store-installs.ts";
import type { Deps } from "../../deps.ts";
import { hashSecret, newSecret, secretHint } from "../../lib/crypto/secrets.ts";
import { isExpired } from "../../lib/time/duration.ts";
import { identifyPrincipal, isLogin, type Principal } from "./identify-principal.ts";

/** Time for which a rotated token remains valid. */
const OVERLAP_MS = 3_600_000;

/** Returns the valid tokens, oldest first. */
export async function listPersonalTokens(
  deps: Deps,
  { gateway_id, principal_sub }: Principal,
): Promise<PrincipalTokenRow[]> {
  const where = { gateway_id, principal_sub, revoked_at: null };
  const rows = await principalTokenTable.all(deps.db, where);
  return rows.filter(({ expires_at }) => !isExpired(expires_at, deps.now()));
}

/** Returns a new token that takes over the accounts. The old token remains valid for one hour, without them. */
export async function rotatePersonalToken(
  deps: Deps,
  author: AuditAuthor,
  token: string,
): Promise<string> {
  const before = await principalTokenTable.lock(deps.db, { hash: hashSecret(token) });
  if (!before) {
    throw new AppError("invalid_request", "Only personal tokens (pp_…) can be rotated.");
  }
  const next = newSecret("pp_");
  const at = deps.now();
  const row: PrincipalTokenRow = {
    ...before,
    id: deps.newId(),
    hash: hashSecret(next),
    hint: secretHint(next),
    sign_in: null,
    origin_id: before.origin_id ?? before.id,
    created_by: before.principal_sub,
    last_used_at: null,
    created_at: at.toISOString(),
  };
  await principalTokenTable.insert(deps.db, row);
  await moveAccounts(deps, before, row.id);
  const end = new Date(at.getTime() + OVERLAP_MS).toISOString();
  const expires_at = isExpired(before.expires_at, new Date(end)) ? before.expires_at : end;
  // A copy of the old token must not use later accounts of the login or token that it was added to either.
  await principalTokenTable.update(deps.db, before.id, { expires_at, sign_in: deps.newId() });
  await record(deps, author, "rotate", before, row);
  return next;
}

/**
 * An administrator may have a copy of the old token, or may have added other tokens to it, so none of them shares
 * accounts with the new one. Accounts of a login stay with it: tokens that were added to it can be added again.
 */
async function moveAccounts(
  { db }: Deps,
  { gateway_id, principal_sub, id, sign_in }: PrincipalTokenRow,
  to: string,
): Promise<void> {
  const from = sign_in ?? id;
  if (isLogin(from)) return;
  const owner = { gateway_id, principal_sub };
  for (const account of await storeCredentialTable.all(db, { ...owner, sign_in: from })) {
    await storeCredentialTable.update(db, account.id, { sign_in: to });
  }
  for (const install of await storeInstallTable.all(db, owner)) {
    const owners = Object.entries(install.filled_by);
    if (!owners.some(([, by]) => by === from)) continue;
    const filled_by = Object.fromEntries(owners.map(([key, by]) => [key, by === from ? to : by]));
    await storeInstallTable.update(db, install.id, { filled_by });
  }
}

/** Makes a token use the accounts of this sign-in. The caller must hold both tokens. */
export async function linkPersonalToken(
  deps: Deps,
  author: AuditAuthor,
  { gateway_id, principal_sub, sign_in }: Principal,
  token: string,
): Promise<void> {
  // A token of an identity provider has no row to update, and verifying it may need an outbound request.
  if (!token.startsWith("pp_")) {
    throw new AppError(
      "invalid_request",
      "Only personal tokens (pp_…) can be added. Sign in with the other token and add this one there.",
    );
  }
  const added = await identifyPrincipal(deps, token);
  if (added.gateway_id !== gateway_id || added.principal_sub !== principal_sub) {
    throw new AppError("forbidden", "This token belongs to another person.");
  }
  const before = await principalTokenTable.lock(deps.db, { hash: hashSecret(token) });
  if (!before) return;
  await principalTokenTable.update(deps.db, before.id, { sign_in });
  await record(deps, author, "update", before, { ...before, sign_in });
}

export async function revokePersonalToken(
  deps: Deps,
  author: AuditAuthor,
  { gateway_id, principal_sub }: Principal,
  id: string,
): Promise<void> {
  const before = await principalTokenTable.lock(deps.db, { id, gateway_id, principal_sub });
  if (!before) throw new AppError("not_found", "You have no token with this id.");
  const revoked_at = before.revoked_at ?? deps.now().toISOString();
  await principalTokenTable.update(deps.db, id, { revoked_at });
  await record(deps, author, "revoke", before, { ...before, revoked_at });
}

async function record(
  deps: Deps,
  author: AuditAuthor,
  verb: "rotate" | "update" | "revoke",
  before: PrincipalTokenRow,
  after: PrincipalTokenRow,
): Promise<void> {
  const toAudited = ({ hash: _, ...row }: PrincipalTokenRow) => row;
  const { id, gateway_id } = before;
  const change = { resource: "principal_token", verb, id, gateway_id };
  await recordChange(deps, author, {
    ...change,
    before: toAudited(before),
    after: toAudited(after),
  });
}
