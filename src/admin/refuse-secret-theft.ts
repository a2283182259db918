/** Rejects an update that would send stored secrets, or credentials of principals, to another host. */
import { AppError } from "../contract/errors.ts";
import { REGISTRY_SECRETS, type RegistryInput } from "../contract/gateway/registries.ts";
import {
  type RegistryRow,
  registrySecret,
  type StoredMcpOptions,
} from "../db/tables/registries.ts";
import { storeCredentialTable } from "../db/tables/store-credentials.ts";
import { type StoreInstallRow, storeInstallTable } from "../db/tables/store-installs.ts";
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
  if (!before) return;
  const where = { instance_id: before.id };
  const accounts = await storeCredentialTable.all(deps.db, where);
  const installs = await storeInstallTable.all(deps.db, where);
  const isMoved = isRetargeted(input, before, at);
  const [url, urlBefore] = [readUrl(input, at), readUrl(before, at)];
  // A host may serve several tenants. A token is for the resource of one of them (RFC 8707), a key for an address.
  const leaves = (resource: URL | null) =>
    isMoved || (url?.href !== urlBefore?.href && !isWithin(url, resource ?? urlBefore));
  // An administrator may have filled in a header, which accounts do not prevent.
  const added = listAddressFields(input).filter((key) => !listAddressFields(before).includes(key));
  const losesValues = ({ config, filled_by }: StoreInstallRow) =>
    (isMoved ? Object.keys(config) : added).some((key) => Object.hasOwn(config, key)) ||
    (Object.keys(filled_by).length > 0 && leaves(null));
  const rows = [
    ...installs.filter(losesValues),
    ...accounts.filter(({ resource }) => leaves(URL.parse(resource ?? ""))),
  ];
  const people = new Set(rows.map(({ principal_sub }) => principal_sub)).size;
  if (people === 0) return;
  throw new AppError(
    "has_dependents",
    `${at}: the address cannot be changed, because ${people} principals connected accounts or filled in values for it. Create another instance.`,
  );
}

/** Returns the keys of fields whose values are part of the address. */
function listAddressFields({ provider_options }: Pick<RegistryInput, "provider_options">) {
  const { fields = [] } = provider_options as Partial<StoredMcpOptions>;
  return fields.flatMap((field) => (field.in === "header" ? [] : [field.key]));
}

/** Returns whether an update changes the host of the address at `at`; below `auth.`, whether it changes the value. */
export const isRetargeted = (input: RegistryInput, before: RegistryRow, at: string): boolean =>
  ownerOf(before, at) !== ownerOf(input, at);

/** Tenants of an authorization server share its host, so token endpoints are compared as a whole. */
function ownerOf(registry: object, at: string): string | undefined {
  return at.startsWith(AUTH) ? readText(registry, at) : readUrl(registry, at)?.origin;
}

const readUrl = (registry: object, at: string): URL | null =>
  URL.parse(readText(registry, at) ?? "");

function readText(registry: object, at: string): string | undefined {
  const found = at
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], registry);
  return typeof found === "string" ? found : undefined;
}

/** Returns whether a URL is that of the resource, or below its path. */
function isWithin(url: URL | null, resource: URL | null): boolean {
  if (!url || !resource || resource.origin !== url.origin) return false;
  const isSameTenant = resource.search === "" || resource.search === url.search;
  const [path, folder] = [toFolder(url), toFolder(resource)];
  return isSameTenant && path.startsWith(folder) && !leavesFolder(path.slice(folder.length));
}

/** Returns whether a path has `..` once it is decoded, such as `..%2f` or `..;/`. Servers decode it first, some twice. */
function leavesFolder(path: string): boolean {
  try {
    return decodeURIComponent(decodeURIComponent(path)).includes("..");
  } catch {
    return true;
  }
}

const toFolder = ({ pathname }: URL): string => pathname.replace(/\/?$/, "/");
