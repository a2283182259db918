/** Finds the AWS credentials of the machine in the order of the AWS SDKs. */
import type { AppError } from "../../contract/errors.ts";
import { credentialError } from "../call-issuer.ts";
import type { IssuedCredential } from "../credential-cache.ts";
import {
  assumeRoleWithWebIdentity,
  requestContainerKeys,
  requestInstanceKeys,
} from "./request-keys.ts";
import { readEnvironmentKeys, resolveProfile, SESSION_NAME } from "./resolve-profile.ts";
import { readSharedFiles } from "./shared-files.ts";
import type { AwsKeys } from "./sign-request.ts";
import type { AwsHost } from "./stored-token.ts";

/** Environment, shared files, web identity, container, instance metadata. */
export async function requestDefaultKeys(
  host: AwsHost,
  region: string,
): Promise<IssuedCredential<AwsKeys>> {
  const { env } = host;
  const given = readEnvironmentKeys(host);
  if (given) return given;
  // Only the environment of the process chooses the profile, and with it a credential_process (decision 0013).
  const name = env.AWS_PROFILE || "default";
  const files = await readSharedFiles(env);
  if (files.profiles.has(name) || env.AWS_PROFILE) {
    const keys = await resolveProfile({ host, files, region }, name);
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

/** The error has no `cause`, because the log would show only the last source. */
const nothingFound = (last?: AppError): AppError =>
  credentialError(
    `The default chain found no AWS credentials in the environment, the shared files, a web identity, a container or the instance metadata. Set one of them up, or use an access key.${last ? ` Last: ${last.message}` : ""}`,
  );
