/** A real issuer of JWTs: keys that rotate, a JWKS on loopback, and tokens right and wrong. */
import { createHmac } from "node:crypto";
import { startUpstream } from "./upstream.ts";

const ALGORITHMS = {
  RS256: {
    name: "RSASSA-PKCS1-v1_5",
    hash: "SHA-256",
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  EdDSA: { name: "Ed25519" },
} as const;
export type SigningAlgorithm = keyof typeof ALGORITHMS;

export interface SigningKey {
  alg: SigningAlgorithm;
  kid: string;
  pair: CryptoKeyPair;
  jwk: JsonWebKey & { kid: string };
}

export async function newSigningKey(
  alg: SigningAlgorithm,
  kid: string,
  more: object = {},
): Promise<SigningKey> {
  const how = { ...ALGORITHMS[alg], ...more };
  const pair = (await crypto.subtle.generateKey(how, true, ["sign", "verify"])) as CryptoKeyPair;
  const jwk = await crypto.subtle.exportKey("jwk", pair.publicKey);
  return { alg, kid, pair, jwk: { ...jwk, kid, use: "sig" } as SigningKey["jwk"] };
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

export async function startIssuer(...keys: SigningKey[]) {
  const served = { keys: keys.map(({ jwk }) => jwk as object) };
  const upstream = startUpstream(() => ({ body: { keys: served.keys } }));
  const now = Math.floor(Date.now() / 1000);
  const claims = (more: object) => ({
    iss: "https://login.example.com",
    aud: "gateway",
    sub: "alice",
    exp: now + 600,
    ...more,
  });
  return {
    upstream,
    now,
    jwks_url: `${upstream.url}/jwks`,
    serve: (...next: SigningKey[]) => {
      served.keys = next.map(({ jwk }) => jwk as object);
    },
    async sign(key: SigningKey, more: object = {}, header: object = {}): Promise<string> {
      const text = `${encode({ alg: key.alg, kid: key.kid, ...header })}.${encode(claims(more))}`;
      const signed = await crypto.subtle.sign(
        ALGORITHMS[key.alg],
        key.pair.privateKey,
        Buffer.from(text),
      );
      return `${text}.${Buffer.from(signed).toString("base64url")}`;
    },
    /** The classic forgeries: no signature, and the public key taken for a shared secret. */
    unsigned: (alg: string) => `${encode({ alg })}.${encode(claims({}))}.AA`,
    hmac: (key: SigningKey) => {
      const text = `${encode({ alg: "HS256", kid: key.kid })}.${encode(claims({}))}`;
      const secret = JSON.stringify(key.jwk);
      return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
    },
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
}
