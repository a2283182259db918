/** Finds the credentials of a profile in the shared files of AWS, in the order of the AWS SDK for JavaScript. */
import { credentialError } from "../call-issuer.ts";
import type { IssuedCredential } from "../credential-cache.ts";
import { readLoginKeys } from "./login-session.ts";
import {
  assumeRole,
  assumeRoleWithWebIdentity,
  requestContainerKeys,
  requestInstanceKeys,
} from "./request-keys.ts";
import { isSsoProfile, requestSsoKeys } from "./request-sso-keys.ts";
import { runCredentialProcess } from "./run-credential-process.ts";
import type { Section, SharedFiles } from "./shared-files.ts";
import type { AwsKeys } from "./sign-request.ts";
import type { AwsHost } from "./stored-token.ts";

type Issued = IssuedCredential<AwsKeys>;

interface ProfileSearch {
  host: AwsHost;
  files: SharedFiles;
  /** Region of STS. */
  region: string;
}

export const SESSION_NAME = "portcullis";

/** Other programs rotate the keys in the shared files, so that they are read again. */
const FILE_LIFETIME_MS = 60_000;

/** `sources` are the source profiles that led here, the current one last. Returns undefined for a profile without credentials. */
export async function resolveProfile(
  search: ProfileSearch,
  name: string,
  sources: readonly string[] = [],
): Promise<Issued | undefined> {
  const { host, files, region } = search;
  const profile = files.profiles.get(name);
  if (!profile)
    throw credentialError(`The AWS profile "${name}" does not exist in the shared files.`);
  const { role_arn, source_profile, credential_source, web_identity_token_file } = profile;
  const session_name = profile.role_session_name ?? SESSION_NAME;
  const keys = toStaticKeys(profile, host.now().getTime() + FILE_LIFETIME_MS);
  // A profile may name itself as its source: its keys then assume the role.
  if (keys && sources.length > 0) return keys;
  if (role_arn && (source_profile || credential_source)) {
    const source = await resolveSource(search, name, profile, sources);
    const { external_id, duration_seconds } = profile;
    const role = { role_arn, session_name, external_id, duration_seconds };
    return await assumeRole(host, role, source.value, region);
  }
  if (credential_source && sources.length > 0) {
    return await resolveCredentialSource(host, name, credential_source);
  }
  if (keys) return keys;
  if (role_arn && web_identity_token_file) {
    const role = { role_arn, session_name };
    return await assumeRoleWithWebIdentity(host, role, web_identity_token_file, region);
  }
  if (profile.credential_process) {
    return await runCredentialProcess(host, name, profile.credential_process);
  }
  if (isSsoProfile(profile)) return await requestSsoKeys(host, files, name);
  const { login_session: session } = profile;
  if (!session) return undefined;
  return await readLoginKeys(host, { profile: name, session, region: profile.region ?? region });
}

export function readEnvironmentKeys({ env }: AwsHost): Issued | undefined {
  const keys = {
    aws_access_key_id: env.AWS_ACCESS_KEY_ID,
    aws_secret_access_key: env.AWS_SECRET_ACCESS_KEY,
    aws_session_token: env.AWS_SESSION_TOKEN,
  };
  return toStaticKeys(keys, Number.POSITIVE_INFINITY);
}

function toStaticKeys(
  {
    aws_access_key_id: access_key_id,
    aws_secret_access_key: secret_access_key,
    aws_session_token: session_token,
  }: Section,
  expires_at: number,
): Issued | undefined {
  if (!access_key_id || !secret_access_key) return undefined;
  return { value: { access_key_id, secret_access_key, session_token }, expires_at };
}

/** Returns the credentials that assume the role of a profile. */
async function resolveSource(
  search: ProfileSearch,
  name: string,
  { source_profile, credential_source, mfa_serial }: Section,
  sources: readonly string[],
): Promise<Issued> {
  const problem = (text: string) => credentialError(`The AWS profile "${name}" ${text}`);
  if (mfa_serial) {
    throw problem("has an mfa_serial, but a server cannot enter a code. Use a role without it.");
  }
  if (source_profile && credential_source) {
    throw problem("has a source_profile and a credential_source. Remove one of them.");
  }
  if (source_profile && sources.includes(source_profile)) {
    throw problem(`is part of a cycle of source profiles: ${sources.join(", ")}.`);
  }
  const source = source_profile
    ? await resolveProfile(search, source_profile, [...sources, source_profile])
    : await resolveCredentialSource(search.host, name, credential_source);
  if (!source) throw problem("has a source without credentials.");
  return source;
}

function resolveCredentialSource(
  host: AwsHost,
  name: string,
  source: string | undefined,
): Promise<Issued | undefined> | Issued | undefined {
  if (source === "Environment") return readEnvironmentKeys(host);
  if (source === "EcsContainer") return requestContainerKeys(host);
  if (source === "Ec2InstanceMetadata") return requestInstanceKeys(host);
  throw credentialError(
    `The AWS profile "${name}" has an unknown credential_source. Use Environment, EcsContainer or Ec2InstanceMetadata.`,
  );
}
