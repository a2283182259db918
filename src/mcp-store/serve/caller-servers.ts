/**
 * Lists the servers of a caller. A cached list is valid until any node changes the configuration or the Store, so
 * that removed access takes effect at the next request.
 */
import type { Install } from "../../contract/store/installs.ts";
import { attachedRegistries } from "../../db/tables/consumers.ts";
import { storeInstallTable } from "../../db/tables/store-installs.ts";
import type { Deps } from "../../deps.ts";
import { isExpired } from "../../lib/time/duration.ts";
import { createChangeCache } from "../change-cache.ts";
import { computeInstallState } from "../installs/install-state.ts";
import { requiresPrincipal } from "../upstream/resolve-target.ts";
import type { InstanceUse } from "../upstream/upstreams.ts";
import { type GatewayServers, readGatewayServers } from "./gateway-servers.ts";
import type { McpCaller } from "./identify-mcp-caller.ts";
import type { ToolPrefix } from "./tool-names.ts";

export interface CallerServer extends InstanceUse {
  prefix: ToolPrefix;
  /** null: the server can be used. */
  suspended_because: Install["suspended_because"];
}

export interface CallerServers {
  /** Usable and suspended servers, sorted by the name of the instance. */
  servers: readonly CallerServer[];
  /** Changes with the servers, so that clients which cache tools by version list them again. */
  version: string;
}

/** `state` is the `changeState` of the database. */
export type ReadCallerServers = (state: string, caller: McpCaller) => Promise<CallerServers>;

const MAX_GATEWAYS = 100;
/** Limit for the servers of all cached lists together. */
const MAX_SERVERS = 20_000;

export function createCallerServers(deps: Deps): ReadCallerServers {
  const gateways = createChangeCache<GatewayServers>({ max: MAX_GATEWAYS });
  const callers = createChangeCache<CallerServers & { ends_at: string | null }>({
    max: MAX_SERVERS,
    weigh: ({ servers }) => 1 + servers.length,
    isStale: ({ ends_at }) => isExpired(ends_at, deps.now()),
  });
  return (state, caller) =>
    callers(state, toCacheKey(caller), async () => {
      const { gateway_id } = caller;
      const shared = await gateways(state, gateway_id, () => readGatewayServers(deps, gateway_id));
      const servers =
        caller.kind === "principal"
          ? await listInstalledServers(deps, shared, caller)
          : await listAttachedServers(deps, shared, caller);
      return { servers, version: toVersion(servers), ends_at: findNextEnd(deps, servers) };
    });
}

function toCacheKey(caller: McpCaller): string {
  const { kind, gateway_id } = caller;
  if (caller.kind === "consumer") return JSON.stringify([kind, gateway_id, caller.consumer_id]);
  const { principal_sub, groups, sign_in } = caller;
  return JSON.stringify([kind, gateway_id, principal_sub, groups, sign_in]);
}

async function listInstalledServers(
  deps: Deps,
  { instances, prefixes, entries, suspended, readAccess }: GatewayServers,
  { gateway_id, principal_sub, groups, sign_in }: McpCaller & { kind: "principal" },
): Promise<CallerServer[]> {
  const { levelFor } = await readAccess({ principal_sub, groups });
  const installs = new Map(
    (await storeInstallTable.all(deps.db, { gateway_id, principal_sub })).map((install) => [
      install.instance_id,
      install,
    ]),
  );
  return instances.flatMap((instance) => {
    const install = installs.get(instance.id);
    const prefix = prefixes.get(instance.id);
    if (!install || !prefix) return [];
    const entry = entries.get(install.code);
    const { suspended_because } = computeInstallState(install, {
      at: deps.now(),
      level: levelFor(entry ?? { code: install.code, category: "" }).level,
      instance_enabled: instance.enabled,
      in_catalog: entry !== undefined,
      server_changed: suspended.has(instance.id),
    });
    return [{ instance, install, sign_in, suspended_because, prefix }];
  });
}

/** A consumer has no account or values, so only shared servers can be used. */
async function listAttachedServers(
  deps: Deps,
  { instances, prefixes }: GatewayServers,
  { consumer_id }: McpCaller & { kind: "consumer" },
): Promise<CallerServer[]> {
  const attached = (await attachedRegistries(deps.db, consumer_id)).get(consumer_id);
  const ids = new Set(attached?.map(({ id }) => id));
  return instances.flatMap((instance) => {
    const prefix = prefixes.get(instance.id);
    const isUsable = ids.has(instance.id) && instance.enabled && !requiresPrincipal(instance);
    if (!isUsable || !prefix) return [];
    const use = { instance, install: undefined, sign_in: undefined };
    return [{ ...use, suspended_because: null, prefix }];
  });
}

/** Returns when the next approval expires, which may suspend a server; null: never. */
function findNextEnd(deps: Deps, servers: readonly CallerServer[]): string | null {
  const at = deps.now();
  const ends = servers.flatMap(({ install }) => install?.ends_at ?? []);
  return ends.filter((end) => !isExpired(end, at)).sort()[0] ?? null;
}

function toVersion(servers: readonly CallerServer[]): string {
  const versions = servers.map(({ instance, suspended_because }) => [
    instance.id,
    instance.version,
    suspended_because,
  ]);
  return `1-${Bun.SHA256.hash(JSON.stringify(versions), "hex").slice(0, 8)}`;
}
