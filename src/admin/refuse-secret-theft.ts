/** Rejects an update that would send stored secrets, or credentials of principals, to another host. */
import { AppError } from "../contract/errors.ts";
import { REGISTRY_SECRETS, type RegistryInput } from "../contract/gateway/registries.ts";
import { type RegistryRow, registrySecret } from "../db/tables/registries.ts";
import { storeCredentialTable } from "../db/tables/store-credentials.ts";
import { storeInstallTable } from "../db/tables/store-installs.ts";
import type { Deps } from "../deps.ts";
import { unseal } from "../lib/crypto/seal.ts";
import { collectSecrets } from "../lib/json/secret-paths.ts";
import { keepsStoredSecret } from "./seal-secrets.ts";

/**
 * `at` is the path of an address, such as `provider_options.base_url`; without a value, the provider's address applies.
 * Below `auth.` it is the owner of the secrets in `auth`: a token endpoint or a client id.
 */
export function refuseSecretTheft(
  input: RegistryInput,
  before: RegistryRow | undefined,
  at: string,
): void {
  if (before && isRetargeted(input, before, at)) requireSecrets(input, at);
}

function requireSecrets(input: RegistryInput, at: string): void {
  for (const [path, given] of collectSecrets(input, REGISTRY_SECRETS)) {
    if (!keepsStoredSecret(given) || (at.startsWith(AUTH) && !path.startsWith(AUTH))) continue;
    const text = `${path}: must be sent again when ${at} changes`;
    throw new AppError("validation_failed", text);
  }
}

const AUTH = "auth.";

/** The same for a new proxy or new certificate authorities: together they could read what is sent. */
export function refuseSecretInterception(
  { keyring }: Pick<Deps, "keyring">,
  input: RegistryInput,
  before: RegistryRow | undefined,
): void {
  if (!before) return;
  const { ca_bundle, proxy_url } = input.provider_options;
  if (ca_bundle !== undefined && ca_bundle !== before.provider_options.ca_bundle) {
    requireSecrets(input, "provider_options.ca_bundle");
  }
  if (typeof proxy_url !== "string" || keepsStoredSecret(proxy_url)) return;
  const at = "provider_options.proxy_url";
  const sealed = before.provider_options.proxy_url;
  const stored =
    typeof sealed === "string"
      ? unseal(keyring(), registrySecret(before.id, at), sealed)
      : undefined;
  if (proxy_url !== stored) requireSecrets(input, at);
}

/** The same for accounts and values of principals, which an administrator cannot send again. */
export async function refusePrincipalSecretTheft(
  deps: Deps,
  input: RegistryInput,
  before: RegistryRow | undefined,
  at: string,
): Promise<void> {
  if (!before || !isRetargeted(input, before, at)) return;
  const where = { instance_id: before.id };
  const filled = (await storeInstallTable.all(deps.db, where)).filter(
    ({ config }) => Object.keys(config).length > 0,
  );
  const rows = [...filled, ...(await storeCredentialTable.all(deps.db, where))];
  const people = new Set(rows.map(({ principal_sub }) => principal_sub)).size;
  if (people === 0) return;
  throw new AppError(
    "has_dependents",
    `${at}: the host cannot be changed, because ${people} principals connected accounts or filled in values for it. Create another instance.`,
  );
}

/** Returns whether an update changes the host of the address at `at`; below `auth.`, whether it changes the value. */
export const isRetargeted = (input: RegistryInput, before: RegistryRow, at: string): boolean =>
  ownerOf(before, at) !== ownerOf(input, at);

/** Tenants of an authorization server share its host, so token endpoints are compared as a whole. */
function ownerOf(registry: object, at: string): string | undefined {
  const found = at
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], registry);
  if (typeof found !== "string") return undefined;
  return at.startsWith(AUTH) ? found : URL.parse(found)?.origin;
}
