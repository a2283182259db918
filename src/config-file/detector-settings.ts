/** How a configuration file writes the settings of detectors: a registry by its names instead of its id. */
import { z } from "zod";
import { describeUnknownKind } from "../admin/detectors.ts";
import { ConfigRegistryRef } from "../contract/config-guard.ts";
import type { DetectorInput } from "../contract/detectors.ts";
import type { Deps } from "../deps.ts";
import { detectors as catalog, secretPathsOf } from "../policy/detectors/all.ts";
import { namedRegistry } from "./find-by-name.ts";

/** By kind. */
export const FILE_SETTINGS: ReadonlyMap<string, z.ZodObject> = new Map(
  [...catalog.values()].map(({ kind, settings }) => {
    // Every detector's settings are an object.
    const stored = settings as z.ZodObject;
    const { registry_id, ...shape } = stored.shape;
    return [kind, registry_id ? z.strictObject({ registry: ConfigRegistryRef, ...shape }) : stored];
  }),
);

/** Where secrets stand inside a detector of a kind. */
export const detectorSecretPaths = (kind: string): string[] =>
  secretPathsOf(kind).map((path) => `settings.${path}`);

/** Each with the defaults of its kind filled in, as it is stored; what is wrong is told to `refuse`. */
export const checkedSettings = (
  detectors: readonly DetectorInput[] | undefined,
  refuse: (issue: z.core.$ZodIssue) => void,
): DetectorInput[] | undefined =>
  detectors?.map((detector, index) => {
    const { data, error } = FILE_SETTINGS.get(detector.kind)?.safeParse(detector.settings) ?? {};
    for (const issue of error?.issues ?? []) {
      refuse({ ...issue, path: ["detectors", index, "settings", ...issue.path] });
    }
    if (!data && !error) {
      refuse({
        code: "custom",
        path: ["detectors", index, "kind"],
        message: describeUnknownKind(),
      });
    }
    return { ...detector, settings: data ?? {} };
  });

/** From the file's way to the stored one. */
export async function storedSettings(
  deps: Deps,
  { settings: { registry, ...settings } }: DetectorInput,
): Promise<DetectorInput["settings"]> {
  if (registry === undefined) return settings;
  const reference = ConfigRegistryRef.parse(registry);
  return { registry_id: await namedRegistry(deps, "settings.registry", reference), ...settings };
}

/** The way back. A registry that is gone has no name: the file then lacks it, and says so when applied. */
export function namedSettings(
  { settings: { registry_id, ...settings } }: DetectorInput,
  registries: ReadonlyMap<string, z.infer<typeof ConfigRegistryRef>>,
): DetectorInput["settings"] {
  const registry = registries.get(String(registry_id));
  return registry ? { registry, ...settings } : settings;
}
