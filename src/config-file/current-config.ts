/** What a configuration file of this installation would say now, its upstream secrets in clear. */

import { configKey, pickInput } from "../admin/pick-input.ts";
import type { ConfigConsumer, ConfigFile } from "../contract/config-file.ts";
import type { ConfigToken } from "../contract/config-held.ts";
import { ConsumerInput } from "../contract/consumers.ts";
import { GatewayInput } from "../contract/gateways.ts";
import { REGISTRY_SECRETS, RegistryInput } from "../contract/registries.ts";
import { type AdminTokenRow, adminTokenTable } from "../db/admin-tokens.ts";
import { attachedRegistries, type ConsumerRow, consumerTable } from "../db/consumers.ts";
import { gatewayTable } from "../db/gateways.ts";
import { consumerKeyTable } from "../db/keys.ts";
import { type RegistryRow, registrySecret, registryTable } from "../db/registries.ts";
import type { Deps } from "../deps.ts";
import { unseal } from "../lib/crypto/seal.ts";
import { mapSecrets } from "../lib/json/secret-paths.ts";
import { currentGuard } from "./current-guard.ts";
import { currentStores } from "./current-stores.ts";

/** Every list is there; keys and tokens that were revoked are not. */
export async function currentConfig(deps: Deps): Promise<ConfigFile> {
  const { db } = deps;
  const gatewayRows = await gatewayTable.all(db);
  const registryRows = await registryTable.all(db);
  const consumerRows = await consumerTable.all(db);
  const attached = await attachedRegistries(db);
  const keyRows = await consumerKeyTable.all(db, { revoked_at: null });
  const tokenRows = await adminTokenTable.all(db, { revoked_at: null });
  const storeOf = await currentStores(db);
  const keyring = deps.keyring();
  const registryNames = new Map(registryRows.map(({ id, name }) => [id, name]));
  const registriesOf = Map.groupBy(registryRows, ({ gateway_id }) => gateway_id);
  const consumersOf = Map.groupBy(consumerRows, ({ gateway_id }) => gateway_id);
  const keysOf = Map.groupBy(keyRows, ({ consumer_id }) => consumer_id);

  const consumerOf = (row: ConsumerRow): ConfigConsumer => ({
    ...pickInput(ConsumerInput, row),
    slug: row.slug,
    registries: (attached.get(row.id) ?? []).map(({ id, ...entry }) => ({
      registry: registryNames.get(id) ?? "",
      ...entry,
    })),
    keys: (keysOf.get(row.id) ?? []).map(configKey),
  });
  const registryOf = (row: RegistryRow): RegistryInput =>
    // A secret that no key opens counts as empty, so that the one in a file replaces it.
    mapSecrets(
      pickInput(RegistryInput, row),
      REGISTRY_SECRETS,
      (text, path) => unseal(keyring, registrySecret(row.id, path), text) ?? "",
    );
  const slugs = new Map(gatewayRows.map(({ id, slug }) => [id, slug]));
  return {
    version: 1,
    gateways: gatewayRows.map((row) => ({
      ...pickInput(GatewayInput.omit({ guard: true }), row),
      slug: row.slug,
      registries: (registriesOf.get(row.id) ?? []).map(registryOf),
      consumers: (consumersOf.get(row.id) ?? []).map(consumerOf),
      ...storeOf(row.id),
    })),
    ...(await currentGuard(deps, slugs, registryRows)),
    tokens: tokenRows.map((row) => tokenOf(row, slugs)),
  };
}

/** Gateways that are gone stay left out; a limit to none is not the same as no limit. */
function tokenOf(row: AdminTokenRow, slugs: ReadonlyMap<string, string>): ConfigToken {
  const { name, role, gateway_ids, expires_at, principal_sub, hash, hint } = row;
  const gateways = gateway_ids?.flatMap((id) => slugs.get(id) ?? []) ?? null;
  return { name, role, gateways, expires_at, principal_sub, sha256: hash, hint };
}
