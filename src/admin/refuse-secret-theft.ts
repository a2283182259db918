/** A stored secret must not follow its registry to another host that somebody else may own, nor may what principals gave. */
import { AppError } from "../contract/errors.ts";
import { REGISTRY_SECRETS, type RegistryInput } from "../contract/registries.ts";
import type { RegistryRow } from "../db/registries.ts";
import { storeCredentialTable } from "../db/store-credentials.ts";
import { storeInstallTable } from "../db/store-installs.ts";
import type { Deps } from "../deps.ts";
import { collectSecrets } from "../lib/json/secret-paths.ts";
import { keepsStoredSecret } from "./seal-secrets.ts";

/**
 * `at` is the path of an address, such as `provider_options.base_url`; none there: the provider's own. Behind `auth.`
 * it is what the secrets of `auth` belong to: a token endpoint or a client id.
 */
export function refuseSecretTheft(
  input: RegistryInput,
  before: RegistryRow | undefined,
  at: string,
): void {
  if (!before || !isRetargeted(input, before, at)) return;
  for (const [path, given] of collectSecrets(input, REGISTRY_SECRETS)) {
    if (!keepsStoredSecret(given) || (at.startsWith(AUTH) && !path.startsWith(AUTH))) continue;
    const text = `${path}: must be sent again when ${at} changes`;
    throw new AppError("validation_failed", text);
  }
}

const AUTH = "auth.";

/** Nobody but they can send again what principals gave: their accounts, and values of their own. */
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
  const givers = [...filled, ...(await storeCredentialTable.all(deps.db, where))];
  const people = new Set(givers.map(({ principal_sub }) => principal_sub)).size;
  if (people === 0) return;
  throw new AppError(
    "has_dependents",
    `${at}: ${people} principals gave accounts or values for the host it has, which would go to another one: create another instance.`,
  );
}

/** Returns whether an update moves the address at `at` to another host; behind `auth.`, whether it changes the value. */
export const isRetargeted = (input: RegistryInput, before: RegistryRow, at: string): boolean =>
  ownerOf(before, at) !== ownerOf(input, at);

/** The tenants of one authorization server share its host, so token endpoints are compared as a whole. */
function ownerOf(registry: object, at: string): string | undefined {
  const found = at
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], registry);
  if (typeof found !== "string") return undefined;
  return at.startsWith(AUTH) ? found : URL.parse(found)?.origin;
}
