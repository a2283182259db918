/** Registries of a gateway in a configuration file: AI upstreams, and instances of MCP servers. */
import type { z } from "zod";
import { pickInput } from "../../admin/pick-input.ts";
import {
  registries as endpoints,
  PROVIDER_OPTIONS,
  REGISTRY_SECRETS,
  RegistryInput,
} from "../../contract/gateway/registries.ts";
import { registrySecret, registryTable } from "../../db/tables/registries.ts";
import { instancesInUse } from "../../db/tables/store-installs.ts";
import { unseal } from "../../lib/crypto/seal.ts";
import { mapSecrets } from "../../lib/json/secret-paths.ts";
import { crudResource } from "../crud-resource.ts";
import { diffWithSecrets } from "../diff-with-secrets.ts";
import { ConfigRegistry } from "../schema.ts";

const resource = crudResource({
  list: "registries",
  schema: ConfigRegistry,
  schemaOf({ provider }: RegistryInput) {
    const options: z.ZodObject = PROVIDER_OPTIONS[provider];
    return RegistryInput.extend({ provider_options: options.prefault({}) });
  },
  secretsOf: () => REGISTRY_SECRETS,
  endpoints,
  table: registryTable,
  parent: "gateway_id",
  async reader({ keyring }) {
    const keys = keyring();
    // A secret that no key opens is read as empty, so that the one in the file replaces it.
    return (row) =>
      mapSecrets(
        pickInput(RegistryInput, row),
        REGISTRY_SECRETS,
        (sealed, path) => unseal(keys, registrySecret(row.id, path), sealed) ?? "",
      );
  },
  identity: ({ name }) => name,
  diff: (before, after, context) =>
    diffWithSecrets(before, withCatalogDefaults(before, after), REGISTRY_SECRETS, context),
});

const IN_USE = "not in the file, but principals have installed it";

export const registries: typeof resource = {
  ...resource,
  /** The first install of a server creates its instance, which no file lists. */
  async current(deps) {
    const inUse = new Set(await instancesInUse(deps.db));
    const stored = await resource.current(deps);
    return stored.map((one) => (inUse.has(one.id) ? { ...one, keepReason: IN_USE } : one));
  },
};

/** Address and fields that the file leaves to the catalog were copied from there on save. */
function withCatalogDefaults(
  before: RegistryInput | undefined,
  after: RegistryInput,
): RegistryInput {
  if (after.type !== "mcp" || !before) return after;
  const { url, fields } = before.provider_options;
  return { ...after, provider_options: { url, fields, ...after.provider_options } };
}
