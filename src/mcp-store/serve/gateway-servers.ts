/** Reads what all callers of a gateway share, and caches it until any node changes the configuration or the Store. */
import type { CatalogEntry } from "../../contract/store/catalog.ts";
import { changeState } from "../../db/config-revision.ts";
import { catalogEntries } from "../../db/tables/catalog-entries.ts";
import { type McpRegistryRow, mcpRegistries } from "../../db/tables/registries.ts";
import type { Deps } from "../../deps.ts";
import { createLruCache } from "../../lib/lru-cache.ts";
import { elapsedMs } from "../../lib/time/clock.ts";
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

export type ReadGatewayServers = (gateway_id: string) => Promise<GatewayServers>;

const MAX_GATEWAYS = 100;
/** A failover that loses a commit may reuse its revision of the Store. */
const MAX_AGE_MS = 10_000;

export function createGatewayServers(deps: Deps): ReadGatewayServers {
  const cache = createLruCache<{ state: string; read_ms: number; servers: GatewayServers }>(
    MAX_GATEWAYS,
  );
  return async (gateway_id) => {
    // Before the rows, so that a change while they are read is noticed by the next request.
    const state = await changeState(deps.db);
    const known = cache.get(gateway_id);
    if (known?.state === state && elapsedMs() - known.read_ms < MAX_AGE_MS) return known.servers;
    const read_ms = elapsedMs();
    const servers = await readServers(deps, gateway_id);
    cache.set(gateway_id, { state, read_ms, servers });
    return servers;
  };
}

async function readServers(deps: Deps, gateway_id: string): Promise<GatewayServers> {
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
