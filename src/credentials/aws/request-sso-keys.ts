/** Requests the AWS keys of a role from IAM Identity Center, with the token of an SSO login. */
import { z } from "zod";
import { credentialError, parseIssued, rejectedBy } from "../call-issuer.ts";
import type { IssuedCredential } from "../credential-cache.ts";
import { findEndpoint } from "./find-endpoint.ts";
import type { Section, SharedFiles } from "./shared-files.ts";
import type { AwsKeys } from "./sign-request.ts";
import { readSsoToken } from "./sso-token.ts";
import { type AwsHost, loginRequired } from "./stored-token.ts";

const MEMBERS = [
  "sso_session",
  "sso_start_url",
  "sso_region",
  "sso_account_id",
  "sso_role_name",
] as const;

export const isSsoProfile = (profile: Section): boolean =>
  MEMBERS.some((member) => profile[member] !== undefined);

/** `name` is an SSO profile in `files`. */
export async function requestSsoKeys(
  host: AwsHost,
  files: SharedFiles,
  name: string,
): Promise<IssuedCredential<AwsKeys>> {
  const profile = mergeSession(files, name);
  const { sso_session: session, sso_start_url: start_url, sso_region: region } = profile;
  const { sso_account_id: account_id, sso_role_name: role_name } = profile;
  if (!start_url || !region || !account_id || !role_name) {
    const missing = MEMBERS.slice(1).filter((member) => !profile[member]);
    throw credentialError(`The AWS profile "${name}" uses SSO without ${missing.join(", ")}.`);
  }
  const cli = { profile: name, kind: "SSO session", command: "aws sso login" };
  const login = { ...cli, session, start_url, region };
  const token = await readSsoToken(host, login);
  const issuer = "AWS IAM Identity Center";
  const query = new URLSearchParams({ role_name, account_id });
  const response = await host.call({
    issuer,
    headers: { "x-amz-sso_bearer_token": token },
    ...findEndpoint(host, "sso", region, `/federation/credentials?${query}`),
  });
  if (response.status === 401) throw loginRequired(login, "is no longer valid");
  const issued = RoleCredentials.safeParse(parseIssued(issuer, response)).data?.roleCredentials;
  if (!issued) throw rejectedBy(issuer, response.status, []);
  return {
    value: {
      access_key_id: issued.accessKeyId,
      secret_access_key: issued.secretAccessKey,
      session_token: issued.sessionToken,
    },
    expires_at: issued.expiration,
  };
}

const RoleCredentials = z.object({
  roleCredentials: z.object({
    accessKeyId: z.string().min(1),
    secretAccessKey: z.string().min(1),
    sessionToken: z.string().min(1),
    /** Milliseconds since the epoch. */
    expiration: z.number(),
  }),
});

/** Adds the members of the session to the profile. Both may have them only if they are the same. */
function mergeSession({ profiles, ssoSessions }: SharedFiles, name: string): Section {
  const profile = profiles.get(name) ?? {};
  if (!profile.sso_session) return profile;
  const session = ssoSessions.get(profile.sso_session);
  if (!session) {
    throw credentialError(
      `The AWS profile "${name}" uses the SSO session "${profile.sso_session}", which does not exist in the config file.`,
    );
  }
  const { sso_start_url, sso_region } = session;
  for (const [member, value] of Object.entries({ sso_start_url, sso_region })) {
    if (profile[member] && profile[member] !== value) {
      throw credentialError(
        `The AWS profile "${name}" and its SSO session "${profile.sso_session}" have different values of ${member}.`,
      );
    }
  }
  return { ...profile, sso_start_url, sso_region };
}
