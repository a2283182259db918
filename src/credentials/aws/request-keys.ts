/** Requests temporary AWS keys from STS, a container or the metadata service of an instance. */
import {
  type IssuerHost,
  type IssuerResponse,
  parseIssued,
  readCredentialFile,
  rejectedBy,
} from "../call-issuer.ts";
import type { IssuedCredential } from "../credential-cache.ts";
import { findEndpoint } from "./find-endpoint.ts";
import { type AwsKeys, signRequest } from "./sign-request.ts";

export interface AwsRole {
  role_arn: string;
  session_name: string;
  external_id: string | undefined;
  /** Left out: one hour. */
  duration_seconds?: string | undefined;
}

type Issued = IssuedCredential<AwsKeys>;

const STS = "AWS STS";
export const STS_VERSION = "2011-06-15";

export async function assumeRole(
  host: IssuerHost,
  { role_arn, session_name, external_id, duration_seconds }: AwsRole,
  keys: AwsKeys,
  region: string,
): Promise<Issued> {
  const form = new URLSearchParams({
    Action: "AssumeRole",
    Version: STS_VERSION,
    RoleArn: role_arn,
    RoleSessionName: session_name,
    ...(external_id !== undefined && { ExternalId: external_id }),
    ...(duration_seconds !== undefined && { DurationSeconds: duration_seconds }),
  });
  const { url, is_local } = findEndpoint(host, "sts", region, "/");
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = form.toString();
  const request = { method: "POST" as const, url, headers, body: Buffer.from(body) };
  signRequest(request, keys, { region, service: "sts" }, host.now());
  return readXmlKeys(await host.call({ issuer: STS, ...request, body, is_local }));
}

export async function assumeRoleWithWebIdentity(
  host: IssuerHost,
  { role_arn, session_name }: Pick<AwsRole, "role_arn" | "session_name">,
  tokenFile: string,
  region: string,
): Promise<Issued> {
  const token = await readCredentialFile(tokenFile, "the AWS web identity token");
  const body = {
    Action: "AssumeRoleWithWebIdentity",
    Version: STS_VERSION,
    RoleArn: role_arn,
    RoleSessionName: session_name,
    WebIdentityToken: token,
  };
  return readXmlKeys(
    await host.call({
      issuer: STS,
      method: "POST",
      body,
      ...findEndpoint(host, "sts", region, "/"),
    }),
  );
}

/** STS responds in XML, with each of these elements once. */
function readXmlKeys({ status, text }: IssuerResponse): Issued {
  const read = (name: string) => new RegExp(`<${name}>([^<]{1,8192})</${name}>`).exec(text)?.[1];
  const [access_key_id, secret_access_key] = [read("AccessKeyId"), read("SecretAccessKey")];
  if (status !== 200 || !access_key_id || !secret_access_key) {
    throw rejectedBy(STS, status, [read("Code") ?? ""]);
  }
  const session_token = read("SessionToken");
  return {
    value: { access_key_id, secret_access_key, session_token },
    expires_at: Date.parse(read("Expiration") ?? ""),
  };
}

const CONTAINER_HOST = "http://169.254.170.2";

/** Returns undefined outside of a container with a role. */
export async function requestContainerKeys(host: IssuerHost): Promise<Issued | undefined> {
  const { env } = host;
  const relative = env.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI;
  const url = relative ? `${CONTAINER_HOST}${relative}` : env.AWS_CONTAINER_CREDENTIALS_FULL_URI;
  if (!url) return undefined;
  const file = env.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE;
  const authorization = file
    ? await readCredentialFile(file, "the AWS container authorization token")
    : env.AWS_CONTAINER_AUTHORIZATION_TOKEN;
  const issuer = "The AWS container credential endpoint";
  const headers: Record<string, string> = authorization ? { authorization } : {};
  return readJsonKeys(issuer, await host.call({ issuer, url, headers, is_local: true }));
}

const METADATA = "The EC2 instance metadata service";

export async function requestInstanceKeys(host: IssuerHost): Promise<Issued> {
  const read = await openInstanceMetadata(host);
  const path = "iam/security-credentials/";
  const role = await read(path);
  if (role.status !== 200) throw rejectedBy(METADATA, role.status, ["no_instance_role"]);
  return readJsonKeys(METADATA, await read(path + encodeURIComponent(role.text.trim())));
}

export async function requestInstanceRegion(host: IssuerHost): Promise<string> {
  const read = await openInstanceMetadata(host);
  const { status, text } = await read("placement/region");
  if (status !== 200) throw rejectedBy(METADATA, status, []);
  return text.trim();
}

/**
 * Returns a reader of the metadata of the instance. IMDSv2: every request carries a session token, which a forged request
 * cannot obtain.
 */
async function openInstanceMetadata(host: IssuerHost) {
  const { env } = host;
  const base = (env.AWS_EC2_METADATA_SERVICE_ENDPOINT ?? "http://169.254.169.254").replace(
    /\/+$/,
    "",
  );
  const token = await host.call({
    issuer: METADATA,
    url: `${base}/latest/api/token`,
    method: "PUT",
    headers: { "x-aws-ec2-metadata-token-ttl-seconds": "300" },
    is_local: true,
  });
  if (token.status !== 200) throw rejectedBy(METADATA, token.status, []);
  return (path: string) =>
    host.call({
      issuer: METADATA,
      url: `${base}/latest/meta-data/${path}`,
      headers: { "x-aws-ec2-metadata-token": token.text },
      is_local: true,
    });
}

function readJsonKeys(issuer: string, response: IssuerResponse): Issued {
  const { AccessKeyId, SecretAccessKey, Token, Expiration, Code } = parseIssued(issuer, response);
  if (typeof AccessKeyId !== "string" || typeof SecretAccessKey !== "string") {
    throw rejectedBy(issuer, response.status, [String(Code)]);
  }
  return {
    value: {
      access_key_id: AccessKeyId,
      secret_access_key: SecretAccessKey,
      session_token: typeof Token === "string" ? Token : undefined,
    },
    expires_at: Date.parse(String(Expiration)),
  };
}
