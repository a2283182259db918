/** Finds the AWS credentials of the machine in the order of the AWS SDKs. */
import type { AppError } from "../../contract/errors.ts";
import { credentialError, type IssuerHost } from "../call-issuer.ts";
import type { IssuedCredential } from "../credential-cache.ts";
import {
  assumeRole,
  assumeRoleWithWebIdentity,
  requestContainerKeys,
  requestInstanceKeys,
} from "./request-keys.ts";
import { type Profile, readProfiles } from "./shared-files.ts";
import type { AwsKeys } from "./sign-request.ts";

type Issued = IssuedCredential<AwsKeys>;

/** Environment, shared files, web identity, container, instance metadata. */
export async function requestDefaultKeys(host: IssuerHost, region: string): Promise<Issued> {
  const { env } = host;
  const given = readEnvironment(host);
  if (given) return given;
  const profiles = await readProfiles(env);
  const name = env.AWS_PROFILE ?? "default";
  if (profiles.has(name) || env.AWS_PROFILE) {
    const keys = await resolveProfile(host, region, profiles, [name]);
    if (keys) return keys;
  }
  const { AWS_ROLE_ARN: role_arn, AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile } = env;
  if (role_arn && tokenFile) {
    const session_name = env.AWS_ROLE_SESSION_NAME ?? SESSION_NAME;
    return await assumeRoleWithWebIdentity(host, { role_arn, session_name }, tokenFile, region);
  }
  const container = await requestContainerKeys(host);
  if (container) return container;
  if (env.AWS_EC2_METADATA_DISABLED?.toLowerCase() === "true") throw nothingFound();
  return await requestInstanceKeys(host).catch((error: AppError) => {
    throw nothingFound(error);
  });
}

const SESSION_NAME = "portcullis";

const nothingFound = (cause?: AppError): AppError =>
  credentialError(
    `The default chain found no AWS credentials in the environment, the shared files, a web identity, a container or the instance metadata. Set one of them up, or use an access key.${cause ? ` Last: ${cause.message}` : ""}`,
    cause,
  );

function readEnvironment({ env }: IssuerHost): Issued | undefined {
  return toStaticKeys(env.AWS_ACCESS_KEY_ID, env.AWS_SECRET_ACCESS_KEY, env.AWS_SESSION_TOKEN);
}

function toStaticKeys(
  access_key_id: string | undefined,
  secret_access_key: string | undefined,
  session_token: string | undefined,
  expires_at = Number.POSITIVE_INFINITY,
): Issued | undefined {
  if (!access_key_id || !secret_access_key) return undefined;
  return { value: { access_key_id, secret_access_key, session_token }, expires_at };
}

/** Other programs rotate the keys in the shared files, so that they are read again. */
const FILE_LIFETIME_MS = 60_000;

/** `names` are the profiles that led here, the current one last. Returns undefined for a profile without credentials. */
async function resolveProfile(
  host: IssuerHost,
  region: string,
  profiles: ReadonlyMap<string, Profile>,
  names: readonly string[],
): Promise<Issued | undefined> {
  const name = names.at(-1) ?? "";
  const profile = profiles.get(name);
  if (!profile)
    throw credentialError(`The AWS profile "${name}" does not exist in the shared files.`);
  const { role_arn, source_profile, credential_source, external_id } = profile;
  const session_name = profile.role_session_name ?? SESSION_NAME;
  if (role_arn && profile.web_identity_token_file) {
    const file = profile.web_identity_token_file;
    return await assumeRoleWithWebIdentity(host, { role_arn, session_name }, file, region);
  }
  // A profile may name itself: its own keys then assume the role.
  if (role_arn && (source_profile || credential_source) && !names.slice(0, -1).includes(name)) {
    const source = source_profile
      ? await resolveProfile(host, region, profiles, [...names, source_profile])
      : await resolveSource(host, name, credential_source);
    if (!source)
      throw credentialError(`The source of the AWS profile "${name}" has no credentials.`);
    return await assumeRole(host, { role_arn, session_name, external_id }, source.value, region);
  }
  const { aws_access_key_id, aws_secret_access_key, aws_session_token } = profile;
  const expires_at = host.now().getTime() + FILE_LIFETIME_MS;
  const keys = toStaticKeys(
    aws_access_key_id,
    aws_secret_access_key,
    aws_session_token,
    expires_at,
  );
  const unsupported = ["credential_process", "sso_session", "sso_start_url", "login_session"].find(
    (member) => profile[member],
  );
  if (keys || !unsupported) return keys;
  throw credentialError(
    `The AWS profile "${name}" uses ${unsupported}, which is not supported. Use keys, a role or a web identity.`,
  );
}

function resolveSource(
  host: IssuerHost,
  name: string,
  source: string | undefined,
): Promise<Issued | undefined> | Issued | undefined {
  if (source === "Environment") return readEnvironment(host);
  if (source === "EcsContainer") return requestContainerKeys(host);
  if (source === "Ec2InstanceMetadata") return requestInstanceKeys(host);
  throw credentialError(
    `The AWS profile "${name}" has an unknown credential_source. Use Environment, EcsContainer or Ec2InstanceMetadata.`,
  );
}
