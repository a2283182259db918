/** Finds an install of a principal that is not suspended, with its missing requirements. */
import { AppError } from "../../contract/errors.ts";
import type { Install } from "../../contract/store/installs.ts";
import { isMcp, type McpRegistryRow, registryTable } from "../../db/tables/registries.ts";
import { type StoreInstallRow, storeInstallTable } from "../../db/tables/store-installs.ts";
import type { Deps } from "../../deps.ts";
import type { Principal } from "../principals/identify-principal.ts";
import { describeInstalls } from "./describe-installs.ts";

export interface UsableInstall {
  row: StoreInstallRow;
  shown: Install;
  instance: McpRegistryRow;
}

/** An install of another principal gives the same error as a missing one. */
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
    throw new AppError("not_found", `${principal_sub} has no install with the id ${id}.`);
  }
  if (shown.state === "suspended") {
    throw new AppError("conflict", `${shown.name} is suspended.`);
  }
  return { row, shown, instance };
}
