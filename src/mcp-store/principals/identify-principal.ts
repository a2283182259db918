/** Resolves a bearer token to the principal of a gateway. */
import type { JWTPayload } from "jose";
import type { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import { Group, PrincipalSub } from "../../contract/store/access.ts";
import type { Issuer } from "../../contract/store/principals.ts";
import { issuersByClaim } from "../../db/tables/issuers.ts";
import { type PrincipalTokenRow, principalTokenTable } from "../../db/tables/principal-tokens.ts";
import { savePrincipal } from "../../db/tables/principals.ts";
import type { Deps } from "../../deps.ts";
import { hashSecret } from "../../lib/crypto/secrets.ts";
import { isExpired } from "../../lib/time/duration.ts";
import { createChangeCache } from "../change-cache.ts";
import { readUnverifiedClaims, verifyJwt } from "./verify-jwt.ts";

export interface Principal {
  gateway_id: string;
  principal_sub: string;
  groups: readonly string[];
  /** Identifies the token or issuer. Accounts and values that were entered with it belong to it (decision 0006). */
  sign_in: string;
  /** The first personal token of the chain of rotations. Undefined: a token of an identity provider. */
  origin_token_id?: string;
}

/** `bearer` is the Authorization header without its scheme. */
export async function identifyPrincipal(
  deps: Deps,
  bearer: string | undefined,
): Promise<Principal> {
  return isPersonalToken(bearer)
    ? readTokenOwner(deps, await readToken(deps, hashSecret(bearer)))
    : await identifyByJwt(deps, bearer);
}

/** Returns identifyPrincipal for many requests: a personal token is read once for each change of the Store. */
export function createPrincipalReader(
  deps: Deps,
): (state: string, bearer: string | undefined) => Promise<Principal> {
  const tokens = createChangeCache<PrincipalTokenRow>({ max: MAX_TOKENS });
  return async (state, bearer) => {
    if (!isPersonalToken(bearer)) return await identifyByJwt(deps, bearer);
    const hash = hashSecret(bearer);
    return readTokenOwner(deps, await tokens(state, hash, () => readToken(deps, hash)));
  };
}

const MAX_TOKENS = 10_000;

const isPersonalToken = (bearer: string | undefined): bearer is string =>
  bearer?.startsWith("pp_") ?? false;

/** Rejects a token that is unknown or cannot be used. */
async function readToken(deps: Deps, hash: string): Promise<PrincipalTokenRow> {
  const row = await principalTokenTable.find(deps.db, { hash });
  if (!row || !isUsable(deps, row)) throw unknownToken();
  await rememberPrincipal(deps, row);
  return row;
}

/** Rejects a token that has expired since it was read. */
function readTokenOwner(deps: Deps, row: PrincipalTokenRow): Principal {
  if (!isUsable(deps, row)) throw unknownToken();
  deps.markUsed("principal_tokens", row.id);
  const { id, gateway_id, principal_sub, groups, sign_in, origin_id } = row;
  return {
    gateway_id,
    principal_sub,
    groups,
    sign_in: sign_in ?? id,
    origin_token_id: origin_id ?? id,
  };
}

const isUsable = ({ now }: Deps, { revoked_at, expires_at }: PrincipalTokenRow): boolean =>
  revoked_at === null && !isExpired(expires_at, now());

const unknownToken = (): AppError =>
  unauthorized("The personal token is unknown, expired or revoked.");

/** Saves the groups of the principal's last sign-in. */
async function rememberPrincipal(
  deps: Deps,
  { gateway_id, principal_sub, groups }: Omit<Principal, "sign_in">,
): Promise<void> {
  const seen_at = deps.now().toISOString();
  const row = { id: deps.newId(), gateway_id, principal_sub, groups: [...groups], seen_at };
  await savePrincipal(deps.db, row);
}

async function identifyByJwt(deps: Deps, token: string | undefined): Promise<Principal> {
  if (!token)
    throw unauthorized(
      "Send a personal token (pp_…), or a token of your identity provider, as a bearer token.",
    );
  const unverified = readUnverifiedClaims(token);
  if (!unverified) throw unauthorized("The token is neither a personal token (pp_…) nor a JWT.");
  const { issuer, claims } = await verifyForIssuer(deps, token, unverified);
  const { gateway_id, subject_claim, groups_claim } = issuer;
  const principal_sub = parseExact(PrincipalSub, readClaim(claims, subject_claim));
  if (!principal_sub) throw unauthorized(`The token has no usable "${subject_claim}" claim.`);
  const groups = readGroups(readClaim(claims, groups_claim));
  const principal = { gateway_id, principal_sub, groups, sign_in: toSignInKey(issuer) };
  await rememberPrincipal(deps, principal);
  return principal;
}

/** Contains every field whose change could make tokens of another party acceptable. */
const toSignInKey = ({ issuer, audience, jwks_url, subject_claim }: Issuer): string =>
  [LOGIN, issuer, audience, jwks_url, subject_claim].join("\t");

const LOGIN = "issuer";

/** Returns whether a sign-in is the login at an identity provider, and not a personal token. */
export const isLogin = (sign_in: string): boolean => sign_in.startsWith(`${LOGIN}\t`);

/**
 * Verifies a token for the oldest registration of one of its audiences, so that a later one for another audience
 * cannot take over its users. One that rejects the token, or whose keys cannot be read, cannot lock them out either.
 */
async function verifyForIssuer(
  deps: Deps,
  token: string,
  { iss, aud }: JWTPayload,
): Promise<{ issuer: Issuer; claims: JWTPayload }> {
  const issuers = typeof iss === "string" ? await issuersByClaim(deps.db, iss) : [];
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
  const failures: AppError[] = [];
  for (const issuer of issuers.filter(({ audience }) => audiences.includes(audience))) {
    try {
      return { issuer, claims: await verifyJwt(deps, token, issuer) };
    } catch (thrown) {
      failures.push(AppError.from(thrown));
    }
  }
  const [failure] = failures.toSorted((one, other) => one.status - other.status);
  throw failure ?? unauthorized("No gateway trusts this issuer for the token's audience.");
}

/** Reads a claim by its full name, which may contain dots as URLs do, or else by its path into objects. */
function readClaim(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split(".").reduce<unknown>((value, name) => {
    const isObject = typeof value === "object" && value !== null && Object.hasOwn(value, name);
    return isObject ? (value as Record<string, unknown>)[name] : undefined;
  }, claims);
}

/** Returns undefined where the shape would change the value: trimmed, " alice" would become another principal. */
function parseExact(shape: z.ZodType<string>, claim: unknown): string | undefined {
  const parsed = shape.safeParse(claim);
  return parsed.success && parsed.data === claim ? parsed.data : undefined;
}

const MAX_GROUPS = 1000;

function readGroups(claim: unknown): string[] {
  const values: unknown[] = Array.isArray(claim) ? claim : [claim];
  return values.flatMap((group) => parseExact(Group, group) ?? []).slice(0, MAX_GROUPS);
}

const unauthorized = (message: string): AppError => new AppError("unauthorized", message);
