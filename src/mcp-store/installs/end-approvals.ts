/** Ends the approvals of a principal's tool calls when they would run with another account or other values. */
import { endApprovalsAt } from "../../db/tables/approvals.ts";
import { registryTable } from "../../db/tables/registries.ts";
import type { StoreInstallRow } from "../../db/tables/store-installs.ts";
import type { Deps } from "../../deps.ts";

/** The approver saw the name of the server, and the caller chooses the account and the values. */
export async function endApprovals(
  { db, now }: Deps,
  { instance_id, principal_sub }: Pick<StoreInstallRow, "instance_id" | "principal_sub">,
): Promise<void> {
  const instance = await registryTable.find(db, { id: instance_id });
  if (!instance) return;
  await endApprovalsAt(db, now(), { consumer_id: principal_sub, application: instance.name });
}
