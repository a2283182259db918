/** Lists, rotates, links and revokes the personal tokens of a principal, at their own request. */
import { AppError } from "../../contract/errors.ts";
import { type AuditAuthor, recordChange } from "../../db/record-change.ts";
import { type PrincipalTokenRow, principalTokenTable } from "../../db/tables/principal-tokens.ts";
import { storeCredentialTable } from "../../db/tables/store-credentials.ts";
import { storeInstallTable } from "../../db/tables/store-installs.ts";
import type { Deps } from "../../deps.ts";
import { hashSecret, newSecret, secretHint } from "../../lib/crypto/secrets.ts";
import { isExpired } from "../../lib/time/duration.ts";
import { identifyPrincipal, type Principal } from "./identify-principal.ts";

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

/** Returns a new token that uses the same accounts. The old token remains valid for one hour. */
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
    sign_in: before.sign_in ?? ((await hasAccounts(deps, before)) ? before.id : null),
    created_by: before.principal_sub,
    last_used_at: null,
    created_at: at.toISOString(),
  };
  await principalTokenTable.insert(deps.db, row);
  const end = new Date(at.getTime() + OVERLAP_MS).toISOString();
  if (!isExpired(before.expires_at, new Date(end))) {
    await principalTokenTable.update(deps.db, before.id, { expires_at: end });
  }
  await record(deps, author, "rotate", before, row);
  return next;
}

/** Without accounts and values, the new token is a sign-in of its own: an administrator may have a copy of the old one. */
async function hasAccounts(
  { db }: Deps,
  { gateway_id, principal_sub, id: sign_in }: PrincipalTokenRow,
): Promise<boolean> {
  const owner = { gateway_id, principal_sub };
  if (await storeCredentialTable.find(db, { ...owner, sign_in })) return true;
  const installs = await storeInstallTable.all(db, owner);
  return installs.some(({ filled_by }) => Object.values(filled_by).includes(sign_in));
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
