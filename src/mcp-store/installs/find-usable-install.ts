/** An install as its own principal sees it: what is missing, and what is there already. */
import { AppError } from "../../contract/errors.ts";
import type { Install } from "../../contract/store-installs.ts";
import { isMcp, type McpRegistryRow, registryTable } from "../../db/registries.ts";
import { type StoreInstallRow, storeInstallTable } from "../../db/store-installs.ts";
import type { Deps } from "../../deps.ts";
import type { Principal } from "../principals/identify-principal.ts";
import { describeInstalls } from "./describe-installs.ts";

export interface UsableInstall {
  row: StoreInstallRow;
  shown: Install;
  instance: McpRegistryRow;
}

/** Somebody else's cannot be told from one that is not there. */
export async function findUsableInstall(
  deps: Deps,
  {
    gateway_id,
    principal_sub,
    sign_in,
  }: Pick<Principal, "gateway_id" | "principal_sub"> & { sign_in?: string },
  id: string,
): Promise<UsableInstall> {
  const row = await storeInstallTable.find(deps.db, { id, gateway_id, principal_sub });
  const instance = row && (await registryTable.find(deps.db, { id: row.instance_id }));
  const [shown] = row ? await describeInstalls(deps, gateway_id, [row], sign_in) : [];
  if (!row || !shown || !instance || !isMcp(instance)) {
    throw new AppError("not_found", `${principal_sub} has nothing installed under this address.`);
  }
  if (shown.state === "suspended") {
    throw new AppError("conflict", `${shown.name} cannot be used by you at the moment.`);
  }
  return { row, shown, instance };
}
