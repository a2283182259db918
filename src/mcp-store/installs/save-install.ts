/** Saves and deletes installs, each with an audit record. */
import { type AuditAuthor, recordChange } from "../../db/record-change.ts";
import { storeCredentialTable } from "../../db/tables/store-credentials.ts";
import { type StoreInstallRow, storeInstallTable } from "../../db/tables/store-installs.ts";
import type { Deps } from "../../deps.ts";
import { endApprovals } from "./end-approvals.ts";

export interface NewInstall {
  gateway_id: string;
  principal_sub: string;
  code: string;
  instance_id: string;
  /** Expiry of the approval; null: never expires. */
  ends_at: string | null;
}

/** Reactivates an existing install with the values of its principal. `why` is written to the audit log. */
export async function saveInstall(
  deps: Deps,
  author: AuditAuthor,
  install: NewInstall,
  why: Record<string, unknown>,
): Promise<StoreInstallRow> {
  const { gateway_id, principal_sub, instance_id, ends_at } = install;
  const before = await storeInstallTable.find(deps.db, { gateway_id, principal_sub, instance_id });
  const row: StoreInstallRow = before
    ? { ...before, ends_at }
    : {
        ...install,
        id: deps.newId(),
        installed_by: author.actor.name,
        config: {},
        filled_by: {},
        created_at: deps.now().toISOString(),
      };
  if (before) await storeInstallTable.update(deps.db, row.id, { ends_at });
  else await storeInstallTable.insert(deps.db, row);
  await recordChange(deps, author, {
    resource: "store_install",
    verb: before ? "update" : "create",
    id: row.id,
    gateway_id,
    before: before ? toAuditedInstall(before) : null,
    after: { ...toAuditedInstall(row), ...why },
  });
  return row;
}

/** Also deletes the account that the principal connected to the instance. */
export async function deleteInstall(
  deps: Deps,
  author: AuditAuthor,
  install: StoreInstallRow,
): Promise<void> {
  const { id, gateway_id, principal_sub, instance_id } = install;
  await storeInstallTable.remove(deps.db, { id });
  await storeCredentialTable.remove(deps.db, { gateway_id, principal_sub, instance_id });
  await endApprovals(deps, install);
  await recordChange(deps, author, {
    resource: "store_install",
    verb: "delete",
    id,
    gateway_id,
    before: toAuditedInstall(install),
    after: null,
  });
}

/** Returns an install for the audit log, with the names of its filled fields instead of their values. */
export function toAuditedInstall({
  config,
  filled_by: _,
  ...row
}: StoreInstallRow): Record<string, unknown> {
  return { ...row, filled: Object.keys(config) };
}
