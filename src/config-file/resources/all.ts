/** Lists the resources of a configuration file, each after those it refers to. */
import type { Deps } from "../../deps.ts";
import type { ConfigResource, StoredItem } from "../config-resource.ts";
import { adminTokens } from "./admin-tokens.ts";
import { collectors } from "./collectors.ts";
import { detectors } from "./detectors.ts";
import { gateways } from "./gateways.ts";
import { policies } from "./policies.ts";

export const RESOURCES: readonly ConfigResource[] = [
  gateways,
  detectors,
  policies,
  collectors,
  adminTokens,
];

export interface CurrentItems {
  /** Returns the stored items of a resource that belong to one parent; "" is the top level. */
  of: (resource: ConfigResource, parent_id: string) => readonly StoredItem<object>[];
  /** Identities of revoked keys and tokens. */
  revoked: ReadonlySet<string>;
}

/** Reads all stored items, with one query per table. */
export async function loadCurrentItems(deps: Deps): Promise<CurrentItems> {
  const items = new Map<ConfigResource, Map<string, StoredItem<object>[]>>();
  const revoked = new Set<string>();
  const load = async (resources: readonly ConfigResource[]): Promise<void> => {
    for (const resource of resources) {
      const stored = await resource.current(deps);
      const active = stored.filter(({ isRevoked }) => !isRevoked);
      for (const { item, isRevoked } of stored) {
        if (isRevoked) revoked.add(resource.identity(item));
      }
      items.set(
        resource,
        Map.groupBy(active, ({ parent_id = "" }) => parent_id),
      );
      await load(resource.children ?? []);
    }
  };
  await load(RESOURCES);
  return { of: (resource, parent_id) => items.get(resource)?.get(parent_id) ?? [], revoked };
}
