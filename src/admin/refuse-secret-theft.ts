/** A stored secret must not follow its registry to another host that somebody else may own. */
import { AppError } from "../contract/errors.ts";
import { REGISTRY_SECRETS, type RegistryInput } from "../contract/registries.ts";
import type { RegistryRow } from "../db/registries.ts";
import { secretsIn } from "../lib/secret-paths.ts";
import { keepsStored } from "./seal-secrets.ts";

/** `at` is the path of an address, such as `provider_options.base_url`; none there: the provider's own. */
export function refuseSecretTheft(
  input: RegistryInput,
  before: RegistryRow | undefined,
  at: string,
): void {
  if (!before || originAt(before, at) === originAt(input, at)) return;
  for (const [path, given] of secretsIn(input, REGISTRY_SECRETS)) {
    if (!keepsStored(given)) continue;
    const text = `${path}: must be sent again when ${at} moves to another host`;
    throw new AppError("validation_failed", text);
  }
}

function originAt(registry: object, at: string): string | undefined {
  const found = at
    .split(".")
    .reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], registry);
  return typeof found === "string" ? URL.parse(found)?.origin : undefined;
}
