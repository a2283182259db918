/** Reports the access level and install status of a principal for each catalog entry. */
import type { AccessLevel } from "../../contract/store/access.ts";
import type { CatalogEntry } from "../../contract/store/catalog.ts";
import type { InstallReply } from "../../contract/store/installs.ts";
import { mcpRegistries } from "../../db/tables/registries.ts";
import { type StoreInstallRow, storeInstallTable } from "../../db/tables/store-installs.ts";
import { storeRequestTable } from "../../db/tables/store-requests.ts";
import type { Deps } from "../../deps.ts";
import { isExpired } from "../../lib/time/duration.ts";
import { readPrincipalAccess } from "../access/principal-access.ts";
import { computeInstallState } from "../installs/install-state.ts";

export interface EntryStatus {
  level: AccessLevel;
  install_status: InstallReply["status"];
  /** An administrator must create or enable an instance first. */
  needs_setup: boolean;
}

export async function createEntryStatusReader(
  deps: Deps,
  gateway_id: string,
  principal: { principal_sub: string; groups?: readonly string[] | undefined },
): Promise<(entry: CatalogEntry) => EntryStatus> {
  const { principal_sub } = principal;
  const access = await readPrincipalAccess(deps, gateway_id, principal);
  const at = deps.now();
  const installs = await storeInstallTable.all(deps.db, { gateway_id, principal_sub });
  const registries = await mcpRegistries(deps.db, gateway_id);
  const instances = new Map(registries.map((row) => [row.id, row]));
  const byCode = Map.groupBy(registries, (row) => row.provider_options.code);
  const open = await storeRequestTable.all(deps.db, {
    gateway_id,
    principal_sub,
    state: "pending",
  });
  const pending = new Set(
    open.filter(({ expires_at }) => !isExpired(expires_at, at)).map(({ code }) => code),
  );
  return (entry) => {
    const { level } = access.levelFor(entry);
    const isActive = (install: StoreInstallRow): boolean => {
      const instance_enabled = instances.get(install.instance_id)?.enabled === true;
      const now = { at, level, instance_enabled, in_catalog: true };
      return install.code === entry.code && computeInstallState(install, now).state === "active";
    };
    const own = byCode.get(entry.code) ?? [];
    const needs_setup =
      !own.some(({ enabled }) => enabled) && (entry.needs_admin_setup || own.length > 0);
    if (installs.some(isActive)) return { level, install_status: "installed", needs_setup };
    const install_status = pending.has(entry.code) ? "pending_approval" : "not_installed";
    return { level, install_status, needs_setup };
  };
}
