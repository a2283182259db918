/** Reads the keys that `aws login` stored, and refreshes them at AWS Sign-In with a proof of possession (RFC 9449). */
import { createHash, createPrivateKey, createPublicKey, randomUUID, sign } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { credentialError, parseIssued, rejectedBy } from "../call-issuer.ts";
import type { IssuedCredential } from "../credential-cache.ts";
import { encodeJwt } from "../encode-jwt.ts";
import { findEndpoint } from "./find-endpoint.ts";
import { awsFile } from "./shared-files.ts";
import type { AwsKeys } from "./sign-request.ts";
import type { AwsHost } from "./stored-token.ts";

export interface LoginSession {
  profile: string;
  /** The value of `login_session`: the ARN of the signed-in user. */
  session: string;
  /** Of AWS Sign-In, if the token does not name its own. */
  region: string;
}

const Keys = z.looseObject({
  accessKeyId: z.string().min(1),
  secretAccessKey: z.string().min(1),
  sessionToken: z.string().min(1),
});

const LoginToken = z.looseObject({
  accessToken: Keys.extend({ expiresAt: z.string() }),
  clientId: z.string().min(1),
  refreshToken: z.string().min(1),
  /** EC private key in PEM, to which the refresh token is bound. */
  dpopKey: z.string().min(1),
  signInRegion: z.string().optional(),
});
type LoginToken = z.infer<typeof LoginToken>;

const RefreshedToken = z.object({
  accessToken: Keys,
  refreshToken: z.string().min(1),
  /** Seconds; 15 minutes if missing. */
  expiresIn: z.number().positive().default(900),
});

export async function readLoginKeys(
  host: AwsHost,
  login: LoginSession,
): Promise<IssuedCredential<AwsKeys>> {
  const { env } = host;
  const directory = env.AWS_LOGIN_CACHE_DIRECTORY ?? awsFile(env, "login", "cache");
  const hash = createHash("sha256").update(login.session).digest("hex");
  const { accessToken } = await host.readStoredToken(host, {
    profile: login.profile,
    kind: "login session",
    command: "aws login",
    file: join(directory, `${hash}.json`),
    schema: LoginToken,
    expiryOf,
    refresh: (token) => refresh(host, login, token),
  });
  return {
    value: {
      access_key_id: accessToken.accessKeyId,
      secret_access_key: accessToken.secretAccessKey,
      session_token: accessToken.sessionToken,
    },
    expires_at: expiryOf({ accessToken }),
  };
}

/** A time that cannot be read counts as expired. */
const expiryOf = ({ accessToken }: Pick<LoginToken, "accessToken">): number =>
  Date.parse(accessToken.expiresAt) || 0;

async function refresh(host: AwsHost, login: LoginSession, token: LoginToken): Promise<LoginToken> {
  const issuer = "AWS Sign-In";
  const { clientId, refreshToken, dpopKey } = token;
  const region = token.signInRegion || login.region;
  const endpoint = findEndpoint(host, "signin", region, "/v1/token");
  const response = await host.call({
    issuer,
    method: "POST",
    headers: {
      "content-type": "application/json",
      dpop: provePossession(dpopKey, endpoint.url, host.now()),
    },
    body: JSON.stringify({ clientId, refreshToken, grantType: "refresh_token" }),
    ...endpoint,
  });
  const issued = RefreshedToken.safeParse(parseIssued(issuer, response)).data;
  if (!issued) throw rejectedBy(issuer, response.status, []);
  const expires_at = host.now().getTime() + issued.expiresIn * 1000;
  return {
    ...token,
    accessToken: {
      ...token.accessToken,
      ...issued.accessToken,
      expiresAt: new Date(expires_at).toISOString(),
    },
    refreshToken: issued.refreshToken,
  };
}

/** Returns a DPoP proof for a POST request to this URL. */
function provePossession(pem: string, htu: string, now: Date): string {
  try {
    const key = createPrivateKey(pem);
    const { kty, crv, x, y } = createPublicKey(key).export({ format: "jwk" });
    const header = { alg: "ES256", typ: "dpop+jwt", jwk: { kty, crv, x, y } };
    const iat = Math.floor(now.getTime() / 1000);
    const claims = { jti: randomUUID(), htm: "POST", htu, iat };
    const unsigned = encodeJwt(header, claims);
    const signature = sign("sha256", Buffer.from(unsigned), { key, dsaEncoding: "ieee-p1363" });
    return `${unsigned}.${signature.toString("base64url")}`;
  } catch (cause) {
    throw credentialError("The key of the stored login cannot be read.", cause);
  }
}
