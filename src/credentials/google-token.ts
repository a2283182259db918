/** Requests access tokens of Google Cloud. */
import { createPrivateKey, sign } from "node:crypto";
import type { GoogleAuth } from "../contract/gateway/cloud-auth.ts";
import {
  type ExternalAccount,
  parseGoogleCredentials,
  type ServiceAccountKey,
} from "../contract/gateway/google-credentials.ts";
import { signCallerIdentity } from "./aws/sign-caller-identity.ts";
import type { AwsHost } from "./aws/stored-token.ts";
import {
  credentialError,
  type IssuerHost,
  parseIssued,
  parseObject,
  readCredentialFile,
  rejectedBy,
} from "./call-issuer.ts";
import type { IssuedCredential } from "./credential-cache.ts";
import { encodeJwt } from "./encode-jwt.ts";
import { readAccessToken } from "./read-access-token.ts";

type Issued = IssuedCredential<string>;

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const METADATA_HOST = "metadata.google.internal";

export async function requestGoogleToken(host: AwsHost, auth: GoogleAuth): Promise<Issued> {
  if (auth.source === "metadata") return await requestMetadataToken(host);
  const credentials = parseGoogleCredentials(auth.credentials ?? "");
  return credentials.type === "service_account"
    ? await requestKeyToken(host, credentials)
    : await requestFederatedToken(host, credentials);
}

async function requestMetadataToken(host: IssuerHost): Promise<Issued> {
  const issuer = "The metadata server of Google Cloud";
  const at = host.env.GCE_METADATA_HOST ?? METADATA_HOST;
  const response = await host.call({
    issuer,
    url: `http://${at}/computeMetadata/v1/instance/service-accounts/default/token`,
    headers: { "metadata-flavor": "Google" },
    is_local: true,
  });
  return readAccessToken(issuer, response, host.now());
}

const LIFETIME_S = 3600;

/** The key signs a JWT, which Google exchanges for an access token (RFC 7523). The key itself is not sent. */
async function requestKeyToken(host: IssuerHost, key: ServiceAccountKey): Promise<Issued> {
  const issuer = "The token endpoint of Google";
  const iat = Math.floor(host.now().getTime() / 1000);
  const claims = {
    ...{ iss: key.client_email, scope: SCOPE, aud: key.token_uri },
    ...{ iat, exp: iat + LIFETIME_S },
  };
  const header = { alg: "RS256", typ: "JWT", kid: key.private_key_id };
  const unsigned = encodeJwt(header, claims);
  const signature = signText(unsigned, key.private_key);
  const response = await host.call({
    issuer,
    method: "POST",
    url: key.token_uri,
    body: {
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion: `${unsigned}.${signature}`,
    },
  });
  return readAccessToken(issuer, response, host.now());
}

function signText(text: string, key: string): string {
  try {
    return sign("RSA-SHA256", Buffer.from(text), createPrivateKey(key)).toString("base64url");
  } catch (cause) {
    throw credentialError(
      "The private key of the Google service account cannot be read. Set auth.credentials again.",
      cause,
    );
  }
}

/** Exchanges the token of another identity provider (RFC 8693), then impersonates a service account if configured. */
async function requestFederatedToken(host: AwsHost, account: ExternalAccount): Promise<Issued> {
  const issuer = "The token exchange of Google";
  const exchanged = await host.call({
    issuer,
    method: "POST",
    url: account.token_url,
    body: {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      requested_token_type: "urn:ietf:params:oauth:token-type:access_token",
      audience: account.audience,
      scope: SCOPE,
      subject_token: await readSubjectToken(host, account),
      subject_token_type: account.subject_token_type,
    },
  });
  const token = readAccessToken(issuer, exchanged, host.now());
  const url = account.service_account_impersonation_url;
  return url === undefined ? token : await impersonate(host, url, token.value);
}

/** Only a JWT is sent: the file of an external account must not be a way to read other files of the machine. */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

async function readSubjectToken(
  host: AwsHost,
  { audience, credential_source }: ExternalAccount,
): Promise<string> {
  const { environment_id, file, url, headers, format } = credential_source;
  if (environment_id !== undefined) return await signCallerIdentity(host, audience);
  const text =
    file === undefined
      ? await fetchSubjectToken(host, url ?? "", headers)
      : await readCredentialFile(file, "the Google workload identity");
  const member = format?.type === "json" ? format.subject_token_field_name : undefined;
  const token = member === undefined ? text.trim() : parseObject(text)?.[member];
  if (typeof token === "string" && JWT.test(token)) return token;
  throw credentialError(
    "The credential source of the Google workload identity contains no JWT. Check credential_source.",
  );
}

async function fetchSubjectToken(
  host: IssuerHost,
  url: string,
  headers: Record<string, string>,
): Promise<string> {
  const issuer = "The credential source of the Google workload identity";
  const is_local = METADATA_ADDRESSES.has(new URL(url).hostname);
  const { status, text } = await host.call({ issuer, url, headers, is_local });
  if (status !== 200) throw rejectedBy(issuer, status, []);
  return text;
}

/** Metadata services of Azure, AWS and Google. */
const METADATA_ADDRESSES = new Set(["169.254.169.254", METADATA_HOST]);

async function impersonate(host: IssuerHost, url: string, token: string): Promise<Issued> {
  const issuer = "The impersonation of the Google service account";
  const response = await host.call({
    issuer,
    method: "POST",
    url,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ scope: [SCOPE], lifetime: `${LIFETIME_S}s` }),
  });
  const { accessToken, expireTime } = parseIssued(issuer, response);
  const expires_at = Date.parse(String(expireTime));
  const members = {
    access_token: accessToken,
    expires_in: (expires_at - host.now().getTime()) / 1000,
  };
  return readAccessToken(issuer, { status: 200, text: JSON.stringify(members) }, host.now());
}
