/** Revokes an approval, which suspends its install until a new request is approved. */
import { AppError } from "../../contract/errors.ts";
import { type AuditAuthor, recordChange } from "../../db/record-change.ts";
import { storeGrantTable } from "../../db/tables/store-grants.ts";
import { storeInstallTable } from "../../db/tables/store-installs.ts";
import type { Deps } from "../../deps.ts";
import { saveInstall } from "../installs/save-install.ts";

export async function revokeGrant(
  deps: Deps,
  author: AuditAuthor,
  { gateway_id, grant_id }: { gateway_id: string; grant_id: string },
): Promise<void> {
  const grant = await storeGrantTable.lock(deps.db, { id: grant_id, gateway_id });
  if (!grant) throw new AppError("not_found", `No grant has the id ${grant_id}.`);
  await storeGrantTable.remove(deps.db, { id: grant.id });
  await recordChange(deps, author, {
    resource: "store_grant",
    verb: "revoke",
    id: grant.id,
    gateway_id,
    before: { ...grant },
    after: null,
  });
  const { principal_sub, code, instance_id } = grant;
  const target = { gateway_id, principal_sub, instance_id };
  if (!(await storeInstallTable.find(deps.db, target))) return;
  const ends_at = deps.now().toISOString();
  await saveInstall(deps, author, { ...target, code, ends_at }, { revoked: true });
}
