/** The tool store_uninstall: deletes an install of the principal, with the account connected to it. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { AppError } from "../../contract/errors.ts";
import { changeStore } from "../../db/config-revision.ts";
import { storeInstallTable } from "../../db/tables/store-installs.ts";
import { deleteInstall } from "../installs/save-install.ts";
import type { PrincipalSession } from "./session.ts";
import { textResult } from "./tool-result.ts";

export async function storeUninstall(
  { deps, caller, author }: PrincipalSession,
  { code, instance_id }: { code: string; instance_id?: string | undefined },
): Promise<CallToolResult> {
  const { gateway_id, principal_sub } = caller;
  const filter = instance_id === undefined ? {} : { instance_id };
  const where = { gateway_id, principal_sub, code, ...filter };
  const removed = await changeStore(deps.db, async (db) => {
    const [install, ...others] = await storeInstallTable.all(db, where);
    if (!install) throw new AppError("not_found", `"${code}" is not installed.`);
    if (others.length > 0) {
      const ids = [install, ...others].map((one) => one.instance_id).join(", ");
      throw new AppError(
        "validation_failed",
        `instance_id: required, because several are installed: ${ids}`,
      );
    }
    await deleteInstall({ ...deps, db }, author, install);
    return install;
  });
  return textResult(`${code} is uninstalled.`, { code, instance_id: removed.instance_id });
}
