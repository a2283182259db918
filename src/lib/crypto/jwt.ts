/** Reads a signed JWT and checks its signature. What the claims mean is the caller's business. */

export interface Jwt {
  alg: JwtAlgorithm;
  kid: string | undefined;
  claims: Readonly<Record<string, unknown>>;
  signed: Uint8Array<ArrayBuffer>;
  signature: Uint8Array<ArrayBuffer>;
}

const ED25519 = { kty: "OKP", key: { name: "Ed25519" }, verify: { name: "Ed25519" } } as const;

/** Public keys only. `none` and the HMAC family are not here: a public key would be their secret. */
const ALGORITHMS = {
  RS256: {
    kty: "RSA",
    key: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
    verify: { name: "RSASSA-PKCS1-v1_5" },
  },
  ES256: {
    kty: "EC",
    key: { name: "ECDSA", namedCurve: "P-256" },
    verify: { name: "ECDSA", hash: "SHA-256" },
  },
  EdDSA: ED25519,
  // The name that RFC 9864 gives it.
  Ed25519: ED25519,
} as const;
export type JwtAlgorithm = keyof typeof ALGORITHMS;

/** Undefined for anything that is not a JWT we could check. Nothing in it is to be believed yet. */
export function readJwt(text: string): Jwt | undefined {
  const [head, body, signature, ...more] = text.split(".");
  if (!head || !body || !signature || more.length > 0) return undefined;
  const header = readPart(head);
  const claims = readPart(body);
  if (!header || !claims || typeof header.alg !== "string") return undefined;
  // `crit` names extensions that must be understood, and we understand none.
  if (!Object.hasOwn(ALGORITHMS, header.alg) || header.crit !== undefined) return undefined;
  return {
    alg: header.alg as JwtAlgorithm,
    kid: typeof header.kid === "string" ? header.kid : undefined,
    claims,
    signed: new TextEncoder().encode(`${head}.${body}`),
    signature: Uint8Array.from(Buffer.from(signature, "base64url")),
  };
}

/** A public key as a JWKS holds it. */
export interface PublicJwk {
  kty: string;
  kid?: string | undefined;
  use?: string | undefined;
  alg?: string | undefined;
  [member: string]: unknown;
}

const MIN_RSA_BITS = 2048;

export function fits(jwk: PublicJwk, { alg, kid }: Jwt): boolean {
  return (
    jwk.kty === ALGORITHMS[alg].kty &&
    (jwk.use === undefined || jwk.use === "sig") &&
    (jwk.alg === undefined || namesSame(jwk.alg, alg)) &&
    (kid === undefined || jwk.kid === undefined || jwk.kid === kid)
  );
}

const namesSame = (one: string, other: JwtAlgorithm): boolean =>
  Object.hasOwn(ALGORITHMS, one) && ALGORITHMS[one as JwtAlgorithm] === ALGORITHMS[other];

export async function isSignedBy(jwk: PublicJwk, jwt: Jwt): Promise<boolean> {
  const { key, verify } = ALGORITHMS[jwt.alg];
  // Only what makes up the public key: `use`, `key_ops` and `alg` of the file are judged by `fits`.
  const { kty, n, e, crv, x, y } = jwk;
  const bare = Object.fromEntries(
    Object.entries({ kty, n, e, crv, x, y }).filter(([, value]) => typeof value === "string"),
  );
  try {
    const imported = await crypto.subtle.importKey("jwk", bare, key, false, ["verify"]);
    const { modulusLength = MIN_RSA_BITS } = imported.algorithm as { modulusLength?: number };
    if (modulusLength < MIN_RSA_BITS) return false;
    return await crypto.subtle.verify(verify, imported, jwt.signature, jwt.signed);
  } catch {
    // A key that is not what it says it is signs nothing.
    return false;
  }
}

function readPart(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
