/** What a configuration file of this installation would say now, its upstream secrets in clear. */
import type { z } from "zod";
import {
  accessRuleName,
  type ConfigConsumer,
  type ConfigFile,
  type ConfigToken,
} from "../contract/config-file.ts";
import { ConsumerInput } from "../contract/consumers.ts";
import { GatewayInput } from "../contract/gateways.ts";
import { REGISTRY_SECRETS, RegistryInput } from "../contract/registries.ts";
import { AccessRuleInput } from "../contract/store-access.ts";
import { IssuerInput } from "../contract/store-principals.ts";
import { accessRuleTable } from "../db/access-rules.ts";
import { type AdminTokenRow, adminTokenTable } from "../db/admin-tokens.ts";
import { catalogEntryTable } from "../db/catalog-entries.ts";
import { attachedRegistries, type ConsumerRow, consumerTable } from "../db/consumers.ts";
import { gatewayTable } from "../db/gateways.ts";
import { issuerTable } from "../db/issuers.ts";
import { consumerKeyTable } from "../db/keys.ts";
import { registryTable } from "../db/registries.ts";
import type { Deps } from "../deps.ts";
import { unseal } from "../lib/seal.ts";
import { mapSecrets } from "../lib/secret-paths.ts";

/** `tokens` and every `keys` are there: of those that were not revoked. */
export async function currentConfig(deps: Deps): Promise<ConfigFile> {
  const { db } = deps;
  const gatewayRows = await gatewayTable.all(db);
  const registryRows = await registryTable.all(db);
  const consumerRows = await consumerTable.all(db);
  const attached = await attachedRegistries(db);
  const keyRows = await consumerKeyTable.all(db, { revoked_at: null });
  const tokenRows = await adminTokenTable.all(db, { revoked_at: null });
  const keyring = deps.keyring();
  const registryNames = new Map(registryRows.map(({ id, name }) => [id, name]));
  const registriesOf = Map.groupBy(registryRows, ({ gateway_id }) => gateway_id);
  const consumersOf = Map.groupBy(consumerRows, ({ gateway_id }) => gateway_id);
  const keysOf = Map.groupBy(keyRows, ({ consumer_id }) => consumer_id);

  const entriesOf = Map.groupBy(await catalogEntryTable.all(db), ({ gateway_id }) => gateway_id);
  const rulesOf = Map.groupBy(await accessRuleTable.all(db), ({ gateway_id }) => gateway_id);
  const issuersOf = Map.groupBy(await issuerTable.all(db), ({ gateway_id }) => gateway_id);

  const consumerOf = (row: ConsumerRow): ConfigConsumer => ({
    ...pick(ConsumerInput, row),
    slug: row.slug,
    registries: (attached.get(row.id) ?? []).map(({ id, ...entry }) => ({
      registry: registryNames.get(id) ?? "",
      ...entry,
    })),
    keys: (keysOf.get(row.id) ?? []).map(({ name, hash, hint, expires_at }) => ({
      name,
      expires_at,
      sha256: hash,
      hint,
    })),
  });
  const slugs = new Map(gatewayRows.map(({ id, slug }) => [id, slug]));
  return {
    version: 1,
    gateways: gatewayRows.map((row) => ({
      ...pick(GatewayInput.omit({ guard: true }), row),
      slug: row.slug,
      registries: (registriesOf.get(row.id) ?? [])
        .map((registry) => pick(RegistryInput, registry))
        // A secret that no key opens counts as empty, so that the one a file gives replaces it.
        .map((input) => mapSecrets(input, REGISTRY_SECRETS, (text) => unseal(keyring, text) ?? "")),
      consumers: (consumersOf.get(row.id) ?? []).map(consumerOf),
      catalog: (entriesOf.get(row.id) ?? []).map(({ entry }) => entry),
      access_rules: (rulesOf.get(row.id) ?? [])
        .map((rule) => pick(AccessRuleInput, rule))
        .map((rule) => ({ ...rule, name: accessRuleName(rule) })),
      issuers: (issuersOf.get(row.id) ?? []).map((issuer) => pick(IssuerInput, issuer)),
    })),
    tokens: tokenRows.map((row) => tokenOf(row, slugs)),
  };
}

/** Gateways that are gone stay left out; a limit to none is not the same as no limit. */
function tokenOf(row: AdminTokenRow, slugs: ReadonlyMap<string, string>): ConfigToken {
  const { name, role, gateway_ids, expires_at, principal_sub, hash, hint } = row;
  const gateways = gateway_ids?.flatMap((id) => slugs.get(id) ?? []) ?? null;
  return { name, role, gateways, expires_at, principal_sub, sha256: hash, hint };
}

function pick<Input extends z.ZodObject>(input: Input, row: object): z.output<Input> {
  const members = row as Record<string, unknown>;
  // Rows hold what this very schema let in.
  return Object.fromEntries(
    Object.keys(input.shape).map((name) => [name, members[name]]),
  ) as z.output<Input>;
}
