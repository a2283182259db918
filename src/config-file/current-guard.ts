/** The guard as a configuration file of this installation would have it now, secrets in clear. */

import { configKey, pickInput } from "../admin/pick-input.ts";
import { type Collector, CollectorInput } from "../contract/collectors.ts";
import type { ConfigFile } from "../contract/config-file.ts";
import type { ConfigCollector, ConfigPolicy } from "../contract/config-guard.ts";
import { DetectorInput, type DetectorResource } from "../contract/detectors.ts";
import { type Policy, PolicyInput, type Rule } from "../contract/policies.ts";
import { collectorTable, overrideTable } from "../db/collectors.ts";
import { detectorTable } from "../db/detectors.ts";
import { collectorKeyTable, serviceClientTable } from "../db/keys.ts";
import { policyTable } from "../db/policies.ts";
import type { RegistryRow } from "../db/registries.ts";
import { sealContextOf } from "../db/sealed-columns.ts";
import type { Deps } from "../deps.ts";
import { unseal } from "../lib/crypto/seal.ts";
import { mapSecrets } from "../lib/json/secret-paths.ts";
import { detectorSecretPaths, namedSettings } from "./detector-settings.ts";

type Guard = Required<Pick<ConfigFile, "detectors" | "policies" | "collectors">>;

/** `slugs` are those of the gateways, by id. */
export async function currentGuard(
  deps: Deps,
  slugs: ReadonlyMap<string, string>,
  registryRows: readonly RegistryRow[],
): Promise<Guard> {
  const { db } = deps;
  const detectorRows = await detectorTable.all(db);
  const policyRows = await policyTable.all(db);
  const collectorRows = await collectorTable.all(db);
  const overrides = await overrideTable.all(db);
  const keys = await collectorKeyTable.all(db, { revoked_at: null });
  const clients = await serviceClientTable.all(db, { revoked_at: null });
  const keyring = deps.keyring();
  const detectorNames = new Map(detectorRows.map(({ id, name }) => [id, name]));
  const policyNames = new Map(policyRows.map(({ id, name }) => [id, name]));
  const registries = new Map(
    registryRows.map(({ id, gateway_id, name }) => [
      id,
      { gateway: slugs.get(gateway_id) ?? "", name },
    ]),
  );
  const overridesOf = Map.groupBy(overrides, ({ collector_id }) => collector_id);
  const keysOf = Map.groupBy(keys, ({ collector_id }) => collector_id);
  const clientsOf = Map.groupBy(clients, ({ collector_id }) => collector_id);

  const detectorOf = (row: DetectorResource): DetectorInput => {
    const input = { ...pickInput(DetectorInput, row), settings: namedSettings(row, registries) };
    // A secret that no key opens counts as empty, so that the one a file gives replaces it.
    const context = sealContextOf("detectors.settings", row.id);
    const open = (text: string) => unseal(keyring, context, text) ?? "";
    return mapSecrets(input, detectorSecretPaths(row.kind), open);
  };
  const ruleOf = ({ detector_id, ...rule }: Rule) => ({
    detector: detectorNames.get(detector_id) ?? "",
    ...rule,
  });
  const policyOf = (row: Policy): ConfigPolicy => ({
    ...pickInput(PolicyInput, row),
    input_rules: row.input_rules.map(ruleOf),
    output_rules: row.output_rules.map(ruleOf),
  });
  const collectorOf = (row: Collector): ConfigCollector => {
    const { gateway_id, default_policy_id, ...own } = pickInput(CollectorInput, row);
    return {
      ...own,
      gateway: slugs.get(gateway_id ?? "") ?? null,
      default_policy: policyNames.get(default_policy_id ?? "") ?? null,
      overrides: (overridesOf.get(row.id) ?? []).map(
        ({ consumer_id, policy_id, policy_version }) => ({
          consumer_id,
          policy: policyNames.get(policy_id) ?? "",
          policy_version,
        }),
      ),
      keys: (keysOf.get(row.id) ?? []).map(configKey),
      service_clients: (clientsOf.get(row.id) ?? []).map((client) => ({
        ...configKey(client),
        client_id: client.id,
      })),
    };
  };
  return {
    detectors: detectorRows.map(detectorOf),
    policies: policyRows.map(policyOf),
    collectors: collectorRows.map(collectorOf),
  };
}
