/** Detectors in a configuration file. */
import { pickInput } from "../../admin/pick-input.ts";
import { DetectorInput, detectors as endpoints } from "../../contract/guard/detectors.ts";
import { sealContextOf } from "../../db/sealed-columns.ts";
import { detectorTable } from "../../db/tables/detectors.ts";
import { registryTable } from "../../db/tables/registries.ts";
import { unseal } from "../../lib/crypto/seal.ts";
import { mapSecrets } from "../../lib/json/secret-paths.ts";
import { secretPathsOf } from "../../policy/detectors/all.ts";
import { crudResource } from "../crud-resource.ts";
import { diffWithSecrets } from "../diff-with-secrets.ts";
import { loadNames, resolveName, unknownName } from "../references.ts";
import { ConfigDetector, ConfigRegistryRef, DETECTOR_SETTINGS } from "../schema.ts";

export const detectors = crudResource({
  list: "detectors",
  schema: ConfigDetector,
  schemaOf({ kind }: DetectorInput) {
    const settings = DETECTOR_SETTINGS.get(kind);
    return settings ? DetectorInput.extend({ settings: settings.prefault({}) }) : DetectorInput;
  },
  secretsOf: ({ kind }) => detectorSecretPaths(kind),
  endpoints,
  table: detectorTable,
  async reader(deps) {
    const keys = deps.keyring();
    const slugs = await loadNames(deps, "gateway");
    const rows = await registryTable.all(deps.db);
    const references = new Map(
      rows.map(({ id, gateway_id, name }) => [id, { gateway: slugs.get(gateway_id) ?? "", name }]),
    );
    return (row) => {
      const { registry_id, ...settings } = row.settings;
      // A deleted registry is left out, so that applying the file reports the missing member.
      const registry = references.get(String(registry_id));
      const item = {
        ...pickInput(DetectorInput, row),
        settings: registry ? { registry, ...settings } : settings,
      };
      // A secret that no key opens is read as empty, so that the one in the file replaces it.
      const context = sealContextOf("detectors.settings", row.id);
      const open = (sealed: string) => unseal(keys, context, sealed) ?? "";
      return mapSecrets(item, detectorSecretPaths(row.kind), open);
    };
  },
  identity: ({ name }) => name,
  diff: (before, after, context) =>
    diffWithSecrets(before, after, detectorSecretPaths(after.kind), context),
  async toBody(deps, { settings: { registry, ...settings }, ...item }) {
    if (registry === undefined) return { ...item, settings };
    const { gateway, name } = ConfigRegistryRef.parse(registry);
    const gateway_id = await resolveName(deps, "gateway", gateway, "settings.registry.gateway");
    const row = await registryTable.find(deps.db, { gateway_id, name });
    if (!row) throw unknownName("settings.registry.name", "registry", name);
    return { ...item, settings: { registry_id: row.id, ...settings } };
  },
});

/** Returns the paths of the secrets in a detector of a kind. */
export function detectorSecretPaths(kind: string): string[] {
  return secretPathsOf(kind).map((path) => `settings.${path}`);
}
