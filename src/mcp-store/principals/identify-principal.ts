/** Which principal of which gateway does a bearer token stand for? */
import type { z } from "zod";
import { AppError } from "../../contract/errors.ts";
import { Group, PrincipalSub } from "../../contract/store-access.ts";
import type { Issuer } from "../../contract/store-principals.ts";
import { issuersByClaim } from "../../db/issuers.ts";
import { principalTokenTable } from "../../db/principal-tokens.ts";
import { savePrincipal } from "../../db/principals.ts";
import type { Deps } from "../../deps.ts";
import { isSignedBy, type Jwt, readJwt } from "../../lib/crypto/jwt.ts";
import { hashSecret } from "../../lib/crypto/secrets.ts";
import { isExpired } from "../../lib/time/duration.ts";
import { keysFor } from "./jwks.ts";

export interface Principal {
  gateway_id: string;
  principal_sub: string;
  groups: readonly string[];
  /** How they signed in. Accounts and values that they gave belong to it (decision 0006). */
  sign_in: string;
}

/** `bearer` is what the Authorization header carries, without its scheme. */
export async function identifyPrincipal(
  deps: Deps,
  bearer: string | undefined,
): Promise<Principal> {
  if (!bearer) throw unauthorized("Send a personal token, or one of your identity provider.");
  const principal = bearer.startsWith("pp_")
    ? await identifyByPersonalToken(deps, bearer)
    : await identifyByJwt(deps, bearer);
  const seen_at = deps.now().toISOString();
  const row = { ...principal, groups: [...principal.groups], id: deps.newId(), seen_at };
  await savePrincipal(deps.db, row);
  return principal;
}

async function identifyByPersonalToken(deps: Deps, token: string): Promise<Principal> {
  const row = await principalTokenTable.find(deps.db, { hash: hashSecret(token) });
  if (!row || row.revoked_at || isExpired(row.expires_at, deps.now())) {
    throw unauthorized("This personal token is unknown, expired or revoked.");
  }
  deps.markUsed("principal_tokens", row.id);
  const { gateway_id, principal_sub, groups } = row;
  return { gateway_id, principal_sub, groups, sign_in: row.sign_in ?? row.id };
}

async function identifyByJwt(deps: Deps, text: string): Promise<Principal> {
  const jwt = readJwt(text);
  if (!jwt) throw unauthorized("This is neither a personal token nor a JWT that can be checked.");
  const issuer = await findIssuer(deps, jwt);
  const keys = await keysFor(deps, issuer, jwt);
  const signed = await Promise.all(keys.map((key) => isSignedBy(key, jwt)));
  if (!signed.includes(true))
    throw unauthorized("The signature of this token is not its issuer's.");
  checkTimes(deps, jwt);
  const principal_sub = parseExact(PrincipalSub, readClaim(jwt.claims, issuer.subject_claim));
  if (!principal_sub) throw unauthorized(`This token has no usable "${issuer.subject_claim}".`);
  const groups = readGroups(readClaim(jwt.claims, issuer.groups_claim));
  return { gateway_id: issuer.gateway_id, principal_sub, groups, sign_in: toSignInKey(issuer) };
}

/** An administrator who changes one of these could accept tokens that somebody else issues. */
const toSignInKey = ({ issuer, audience, jwks_url, subject_claim }: Issuer): string =>
  ["issuer", issuer, audience, jwks_url, subject_claim].join("\t");

async function findIssuer(deps: Deps, { claims }: Jwt): Promise<Issuer> {
  const { iss, aud } = claims;
  const known = typeof iss === "string" ? await issuersByClaim(deps.db, iss) : [];
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud];
  // The earliest claim wins: registering another audience of these tokens moves or locks out nobody.
  const issuer = known.find(({ audience }) => audiences.includes(audience));
  if (!issuer) throw unauthorized("No gateway takes tokens of this issuer for this audience.");
  return issuer;
}

/** Clocks differ. */
const SKEW_S = 60;

function checkTimes(deps: Deps, { claims }: Jwt): void {
  const now = deps.now().getTime() / 1000;
  const { exp, nbf } = claims;
  if (typeof exp !== "number") throw unauthorized("This token does not say when it ends.");
  if (exp + SKEW_S <= now) throw unauthorized("This token has expired.");
  if (nbf !== undefined && !(typeof nbf === "number" && nbf - SKEW_S <= now)) {
    throw unauthorized("This token is not valid yet.");
  }
}

/** A claim's own name may hold dots, as URLs do; only else they lead into objects. */
function readClaim(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split(".").reduce<unknown>((value, name) => {
    const isObject = typeof value === "object" && value !== null && Object.hasOwn(value, name);
    return isObject ? (value as Record<string, unknown>)[name] : undefined;
  }, claims);
}

/** As it stands in the token: trimmed, " alice" would become somebody else. */
function parseExact(shape: z.ZodType<string>, claim: unknown): string | undefined {
  const read = shape.safeParse(claim);
  return read.success && read.data === claim ? read.data : undefined;
}

const MAX_GROUPS = 1000;

function readGroups(claim: unknown): string[] {
  const listed: unknown[] = Array.isArray(claim) ? claim : [claim];
  return listed.flatMap((group) => parseExact(Group, group) ?? []).slice(0, MAX_GROUPS);
}

const unauthorized = (message: string): AppError => new AppError("unauthorized", message);
