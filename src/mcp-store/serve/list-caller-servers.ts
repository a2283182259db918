/** Lists the servers of a caller. Checked on every request, so that removed access takes effect at once. */
import type { Install } from "../../contract/store/installs.ts";
import { attachedRegistries } from "../../db/tables/consumers.ts";
import { storeInstallTable } from "../../db/tables/store-installs.ts";
import type { Deps } from "../../deps.ts";
import { computeInstallState } from "../installs/install-state.ts";
import { requiresPrincipal } from "../upstream/resolve-target.ts";
import type { InstanceUse } from "../upstream/upstreams.ts";
import type { ReadGatewayServers } from "./gateway-servers.ts";
import type { McpCaller } from "./identify-mcp-caller.ts";
import type { ToolPrefix } from "./tool-names.ts";

export interface CallerServer extends InstanceUse {
  prefix: ToolPrefix;
  /** null: the server can be used. */
  suspended_because: Install["suspended_because"];
}

/** Returns usable and suspended servers, sorted by the name of the instance. */
export async function listCallerServers(
  deps: Deps,
  readGatewayServers: ReadGatewayServers,
  caller: McpCaller,
): Promise<CallerServer[]> {
  const { instances, prefixes, entries, suspended, readAccess } = await readGatewayServers(
    caller.gateway_id,
  );
  const addPrefix = <Server extends InstanceUse>(server: Server) => {
    const prefix = prefixes.get(server.instance.id);
    return prefix ? [{ ...server, prefix }] : [];
  };

  if (caller.kind === "consumer") {
    const attached = (await attachedRegistries(deps.db, caller.consumer_id)).get(
      caller.consumer_id,
    );
    const ids = new Set(attached?.map(({ id }) => id));
    return (
      instances
        // A consumer has no account or values, so only shared servers can be used.
        .filter(
          (instance) => ids.has(instance.id) && instance.enabled && !requiresPrincipal(instance),
        )
        .flatMap((instance) =>
          addPrefix({ instance, install: undefined, sign_in: undefined, suspended_because: null }),
        )
    );
  }

  const { gateway_id, principal_sub, groups, sign_in } = caller;
  const { levelFor } = await readAccess({ principal_sub, groups });
  const installs = new Map(
    (await storeInstallTable.all(deps.db, { gateway_id, principal_sub })).map((install) => [
      install.instance_id,
      install,
    ]),
  );
  return instances.flatMap((instance) => {
    const install = installs.get(instance.id);
    if (!install) return [];
    const entry = entries.get(install.code);
    const { suspended_because } = computeInstallState(install, {
      at: deps.now(),
      level: levelFor(entry ?? { code: install.code, category: "" }).level,
      instance_enabled: instance.enabled,
      in_catalog: entry !== undefined,
      server_changed: suspended.has(instance.id),
    });
    return addPrefix({ instance, install, sign_in, suspended_because });
  });
}
