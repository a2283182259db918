/** Reads the active installs, valid approvals and open requests of a principal for a Store server. */
import type { AccessLevel } from "../../contract/store/access.ts";
import type { McpRegistryRow } from "../../db/tables/registries.ts";
import { type StoreGrantRow, storeGrantTable } from "../../db/tables/store-grants.ts";
import { type StoreInstallRow, storeInstallTable } from "../../db/tables/store-installs.ts";
import { type StoreRequestRow, storeRequestTable } from "../../db/tables/store-requests.ts";
import type { Deps } from "../../deps.ts";
import { isExpired } from "../../lib/time/duration.ts";
import { computeInstallState } from "./install-state.ts";

export interface InstallsOfPrincipal {
  installs: StoreInstallRow[];
  grants: StoreGrantRow[];
  open: StoreRequestRow[];
}

export async function readInstallsOfPrincipal(
  deps: Deps,
  where: { gateway_id: string; principal_sub: string; code: string },
  { level, instances }: { level: AccessLevel; instances: readonly McpRegistryRow[] },
): Promise<InstallsOfPrincipal> {
  const at = deps.now();
  const installs = await storeInstallTable.all(deps.db, where);
  const grants = await storeGrantTable.all(deps.db, where);
  const isActive = (install: StoreInstallRow): boolean => {
    const instance_enabled = instances.some(
      ({ id, enabled }) => id === install.instance_id && enabled,
    );
    const now = { at, level, instance_enabled, in_catalog: true };
    return computeInstallState(install, now).state === "active";
  };
  return {
    installs: installs.filter(isActive),
    grants: grants.filter(({ expires_at }) => !isExpired(expires_at, at)),
    open: await storeRequestTable.all(deps.db, { ...where, state: "pending" }),
  };
}
