/** Verifies a JWT of an issuer: signature, audience and times. */
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from "jose";
import { AppError } from "../../contract/errors.ts";
import type { Issuer } from "../../contract/store/principals.ts";
import type { Deps } from "../../deps.ts";
import { findSigningKeys } from "./jwks-cache.ts";

/** Public-key algorithms only: `none` has no signature, and HMAC would use the public key as its secret. */
const ALGORITHMS = ["RS256", "ES256", "EdDSA", "Ed25519"];

const CLOCK_TOLERANCE_S = 60;

/** Returns the claims of a JWT without verifying anything, to find its issuer; undefined when it is not a JWT. */
export function readUnverifiedClaims(token: string): JWTPayload | undefined {
  try {
    return decodeJwt(token);
  } catch {
    return undefined;
  }
}

/** Returns the claims of a token that `issuer` signed for its audience. Rejects any other token as unauthorized. */
export async function verifyJwt(deps: Deps, token: string, issuer: Issuer): Promise<JWTPayload> {
  try {
    const header = decodeProtectedHeader(token);
    // Checked before the keys are fetched.
    if (!ALGORITHMS.includes(header.alg ?? "")) throw new errors.JOSEAlgNotAllowed();
    const options = {
      algorithms: ALGORITHMS,
      issuer: issuer.issuer,
      audience: issuer.audience,
      requiredClaims: ["exp"],
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: deps.now(),
    };
    for (const key of await findSigningKeys(deps, issuer, header)) {
      try {
        return (await jwtVerify(token, key, options)).payload;
      } catch (thrown) {
        if (!(thrown instanceof errors.JWSSignatureVerificationFailed)) throw thrown;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  } catch (thrown) {
    if (thrown instanceof AppError) throw thrown;
    throw new AppError("unauthorized", describeError(thrown), { cause: thrown });
  }
}

function describeError(thrown: unknown): string {
  if (thrown instanceof errors.JWTExpired) return "The token has expired.";
  if (thrown instanceof errors.JWTClaimValidationFailed) {
    return `The token's "${thrown.claim}" claim is missing or not valid.`;
  }
  if (thrown instanceof errors.JOSEAlgNotAllowed) {
    return `The token's algorithm is not accepted. Use one of ${ALGORITHMS.join(", ")}.`;
  }
  return "The token is not signed with a key of its issuer.";
}
