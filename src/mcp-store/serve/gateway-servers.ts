/** Reads what all callers of a gateway share. */
import type { CatalogEntry } from "../../contract/store/catalog.ts";
import { catalogEntries } from "../../db/tables/catalog-entries.ts";
import { type McpRegistryRow, mcpRegistries } from "../../db/tables/registries.ts";
import type { Deps } from "../../deps.ts";
import { createAccessReader } from "../access/principal-access.ts";
import { findSuspendedInstances } from "../vault/bind-server.ts";
import { assignPrefixes, type ToolPrefix } from "./tool-names.ts";

export interface GatewayServers {
  /** Sorted by name. */
  instances: readonly McpRegistryRow[];
  /** By the id of the instance. */
  prefixes: ReadonlyMap<string, ToolPrefix>;
  /** By code. */
  entries: ReadonlyMap<string, CatalogEntry>;
  /** Ids of instances that advertise an unconfirmed authorization server. */
  suspended: ReadonlySet<string>;
  readAccess: Awaited<ReturnType<typeof createAccessReader>>;
}

export async function readGatewayServers(deps: Deps, gateway_id: string): Promise<GatewayServers> {
  const instances = await mcpRegistries(deps.db, gateway_id);
  const entries = await catalogEntries(deps.db, gateway_id);
  return {
    instances,
    prefixes: assignPrefixes(instances),
    entries: new Map(entries.map((entry) => [entry.code, entry])),
    suspended: await findSuspendedInstances(deps, gateway_id, instances),
    readAccess: await createAccessReader(deps, gateway_id),
  };
}
