/** Registries: per-kind options, sealed credentials, and addresses that may be reached. */
import { z } from "zod";
import { decode } from "../contract/decode.ts";
import { AppError } from "../contract/errors.ts";
import {
  KIND_OPTIONS,
  KINDS,
  KINDS_WITHOUT_KEY,
  listRegistryKinds,
  REGISTRY_SECRETS,
  type Registry,
  type RegistryInput,
  registries,
} from "../contract/registries.ts";
import { type RegistryRow, registryTable } from "../db/registries.ts";
import type { Deps } from "../deps.ts";
import { checkHostLiteral } from "../net/address-guard.ts";
import { providers } from "../providers/all.ts";
import { capabilitiesOf } from "../providers/provider.ts";
import { type Route, route } from "../route.ts";
import { gatewayExists, resourceRoutes, type Stores } from "./resource-routes.ts";
import { maskSecrets, sealSecrets } from "./seal-secrets.ts";

const stores: Stores<RegistryRow, RegistryInput, Registry> = {
  table: registryTable,
  id: "registry_id",
  scope: (params) => ({ gateway_id: params.gateway_id ?? "" }),
  parent: gatewayExists,
  read: (deps, row) => ({
    ...maskSecrets(deps.keyring(), REGISTRY_SECRETS, row),
    capabilities: row.capabilities ?? capabilitiesOf(providers[row.provider]),
  }),
  stored: ({ capabilities }) => ({ capabilities }),
  async save(deps, input, row, before) {
    const checked = checkRegistry(deps, input, before);
    // The path gives the gateway; RegistryRow cannot know that from the scope alone.
    const next = { ...row, ...checked } as RegistryRow;
    if (before) await registryTable.update(deps.db, row.id, next);
    else await registryTable.insert(deps.db, next);
  },
};

export const registryRoutes: Route[] = [
  ...resourceRoutes(registries, stores),
  route(listRegistryKinds, () => ({
    items: KINDS.map((kind) => ({
      kind,
      capabilities: capabilitiesOf(providers[kind]),
      needs_key: !KINDS_WITHOUT_KEY.includes(kind),
      options_schema: z.toJSONSchema(KIND_OPTIONS[kind], { io: "input" }) as Record<
        string,
        unknown
      >,
    })),
  })),
];

/** The whole registry is judged by its kind; its secrets come back sealed. */
export function checkRegistry(
  deps: Deps,
  input: RegistryInput,
  before?: RegistryRow,
): RegistryInput {
  if (before && before.provider !== input.provider) {
    // The stored credential belongs to the other provider and must not be sent to this one.
    throw new AppError("validation_failed", "provider: cannot be changed; create another registry");
  }
  const shape = z.object({ provider_options: KIND_OPTIONS[input.provider] });
  const { provider_options } = decode(shape, { provider_options: input.provider_options });
  checkAddress(deps, { ...input, provider_options }, before);
  const able = capabilitiesOf(providers[input.provider]);
  const beyond = input.capabilities?.findIndex((capability) => !able.includes(capability)) ?? -1;
  if (beyond >= 0) {
    throw new AppError(
      "validation_failed",
      `capabilities[${beyond}]: ${input.provider} can do ${able.join(", ")}`,
    );
  }
  if (!input.auth && !KINDS_WITHOUT_KEY.includes(input.provider)) {
    throw new AppError("validation_failed", `auth: ${input.provider} needs an API key`);
  }
  if (input.auth && input.provider === "demo") {
    throw new AppError("validation_failed", "auth: the demo provider takes no credential");
  }
  return sealSecrets(deps.keyring(), REGISTRY_SECRETS, { ...input, provider_options }, before);
}

/** An address an administrator sets must be public and encrypted, unless the registry says otherwise. */
function checkAddress(deps: Deps, input: RegistryInput, before: RegistryRow | undefined): void {
  for (const name of ["base_url", "endpoint"]) {
    const text = input.provider_options[name];
    if (typeof text !== "string") continue;
    refuseCredentialTheft(deps, input, before, name);
    if (input.allow_private) continue;
    const at = `provider_options.${name}`;
    const url = new URL(text);
    if (url.protocol !== "https:") {
      throw new AppError("validation_failed", `${at}: must be https unless allow_private is true`);
    }
    if (checkHostLiteral(url.hostname) === "refused") {
      const text = `${at}: is not a public address; set allow_private to true to use it`;
      throw new AppError("validation_failed", text);
    }
  }
}

/** Moving the address while keeping the masked key would send the stored key to the new host. */
function refuseCredentialTheft(
  deps: Deps,
  input: RegistryInput,
  before: RegistryRow | undefined,
  name: string,
): void {
  if (!before?.auth) return;
  const was = before.provider_options[name];
  const moved =
    typeof was === "string" &&
    new URL(was).origin !== new URL(String(input.provider_options[name])).origin;
  const shown = maskSecrets(deps.keyring(), REGISTRY_SECRETS, before).auth?.api_key;
  if (moved && (input.auth?.api_key === shown || input.auth?.api_key === "")) {
    throw new AppError(
      "validation_failed",
      `auth.api_key: must be sent again when provider_options.${name} moves to another host`,
    );
  }
}
