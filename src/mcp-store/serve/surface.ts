/** What may this caller use at this moment? Read anew for every request, so that a lost right is lost at once. */
import type { Install } from "../../contract/store-installs.ts";
import { catalogEntries } from "../../db/catalog-entries.ts";
import { attachedRegistries } from "../../db/consumers.ts";
import { mcpRegistries } from "../../db/registries.ts";
import { storeInstallTable } from "../../db/store-installs.ts";
import type { Deps } from "../../deps.ts";
import { installState } from "../install-state.ts";
import { readStandings } from "../standing.ts";
import { needsPrincipal } from "../upstream/target.ts";
import type { Used } from "../upstream/upstreams.ts";
import { suspendedInstances } from "../vault/bind-server.ts";
import type { Caller } from "./caller.ts";
import { type Prefix, prefixesOf } from "./tool-names.ts";

export interface Place extends Used {
  prefix: Prefix;
  /** Why it cannot be used now; null: it can. */
  suspended_because: Install["suspended_because"];
}

/** Sorted by the name of the instance. */
export async function surfaceOf(deps: Deps, caller: Caller): Promise<Place[]> {
  const instances = await mcpRegistries(deps.db, caller.gateway_id);
  const prefixes = prefixesOf(instances);
  const prefixed = <Found extends Used>(found: Found) => {
    const prefix = prefixes.get(found.instance.id);
    return prefix ? [{ ...found, prefix }] : [];
  };

  if (caller.kind === "consumer") {
    const attached = (await attachedRegistries(deps.db, caller.consumer_id)).get(
      caller.consumer_id,
    );
    const ids = new Set(attached?.map(({ id }) => id));
    return (
      instances
        // Nobody's account or value is at hand here: only what everyone shares can be used.
        .filter((instance) => ids.has(instance.id) && instance.enabled && !needsPrincipal(instance))
        .flatMap((instance) =>
          prefixed({ instance, install: undefined, sign_in: undefined, suspended_because: null }),
        )
    );
  }

  const { gateway_id, principal_sub, groups, sign_in } = caller;
  const { levelFor } = await (await readStandings(deps, gateway_id))({ principal_sub, groups });
  const entries = new Map(
    (await catalogEntries(deps.db, gateway_id)).map((entry) => [entry.code, entry]),
  );
  const installs = new Map(
    (await storeInstallTable.all(deps.db, { gateway_id, principal_sub })).map((install) => [
      install.instance_id,
      install,
    ]),
  );
  const suspended = await suspendedInstances(deps, gateway_id, instances);
  return instances.flatMap((instance) => {
    const install = installs.get(instance.id);
    if (!install) return [];
    const entry = entries.get(install.code);
    const { suspended_because } = installState(install, {
      at: deps.now(),
      level: levelFor(entry ?? { code: install.code, category: "" }).level,
      instance_enabled: instance.enabled,
      in_catalog: entry !== undefined,
      server_changed: suspended.has(instance.id),
    });
    return prefixed({ instance, install, sign_in, suspended_because });
  });
}
