/** Checks the credential of an AI upstream: its type, and the members that its source requires. */

import { AppError } from "../contract/errors.ts";
import type { CloudAuth } from "../contract/gateway/cloud-auth.ts";
import { CLOUD_SOURCES, classifyMember } from "../contract/gateway/cloud-sources.ts";
import { parseGoogleCredentials } from "../contract/gateway/google-credentials.ts";
import {
  KINDS_WITHOUT_KEY,
  type Kind,
  listAuthTypes,
  type RegistryInput,
} from "../contract/gateway/registries.ts";
import type { RegistryRow } from "../db/tables/registries.ts";
import { checkUrl } from "../net/check-url.ts";
import { refuseSecretTheft } from "./refuse-secret-theft.ts";
import { keepsStoredSecret } from "./seal-secrets.ts";

/** Returns the stored row without a credential of another type or source: its secrets must not be reused. */
export function withoutOtherAuth(
  { auth }: RegistryInput,
  before: RegistryRow | undefined,
): RegistryRow | undefined {
  const isSame = before?.auth?.type === auth?.type && sourceOf(before?.auth) === sourceOf(auth);
  return isSame ? before : before && { ...before, auth: null };
}

const sourceOf = (auth: RegistryInput["auth"] | undefined): string | undefined =>
  auth && "source" in auth ? auth.source : undefined;

/** Members that a secret belongs to: if one changes, the secret must be sent again. */
const SECRET_OWNERS = ["access_key_id", "authority_host", "tenant_id", "client_id"] as const;

export function checkLlmAuth(
  kind: Kind,
  input: RegistryInput,
  kept: RegistryRow | undefined,
): void {
  const { auth } = input;
  const types = listAuthTypes(kind);
  if (!auth) {
    if (KINDS_WITHOUT_KEY.includes(kind)) return;
    throw invalid(`auth: is required, because ${kind} needs ${types.join(" or ")}`);
  }
  if (types.length === 0) throw invalid(`auth: must be null for the ${kind} provider`);
  if (!types.includes(auth.type)) {
    throw invalid(`auth.type: must be ${types.join(" or ")} for ${kind}`);
  }
  if (!("source" in auth)) return;
  checkMembers(auth);
  if (auth.type === "azure" && auth.authority_host !== undefined) {
    checkUrl(auth.authority_host, "auth.authority_host", input.allow_private);
  }
  if (kept?.auth) for (const name of SECRET_OWNERS) refuseSecretTheft(input, kept, `auth.${name}`);
  if (auth.type === "gcp_service_account")
    checkGoogleCredentials(auth.source, auth.credentials, input);
}

/** A member without effect is an error. */
function checkMembers(auth: CloudAuth): void {
  const { type, source } = auth;
  const missing = CLOUD_SOURCES[type]?.[source]?.required.find((name) => !(name in auth));
  if (missing) throw invalid(`auth.${missing}: is required when source is ${source}`);
  const unused = Object.keys(auth).find((name) => classifyMember(type, source, name) === "unused");
  if (unused) throw invalid(`auth.${unused}: must be left out when source is ${source}`);
  if (auth.type === "aws" && auth.external_id !== undefined && auth.role_arn === undefined) {
    throw invalid("auth.external_id: requires role_arn");
  }
}

function checkGoogleCredentials(
  source: string,
  text: string | undefined,
  { allow_private }: RegistryInput,
): void {
  if (text === undefined || keepsStoredSecret(text)) return;
  const credentials = parseGoogleCredentials(text);
  const expected = source === "key" ? "service_account" : "external_account";
  if (credentials.type !== expected) {
    throw invalid(`auth.credentials: type must be ${expected} when source is ${source}`);
  }
  const urls =
    credentials.type === "service_account"
      ? [credentials.token_uri]
      : [credentials.token_url, credentials.service_account_impersonation_url];
  for (const url of urls) {
    if (url !== undefined) checkUrl(url, "auth.credentials", allow_private);
  }
}

const invalid = (message: string): AppError => new AppError("validation_failed", message);
