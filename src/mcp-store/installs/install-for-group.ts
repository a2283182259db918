/** Installs a server for every known principal of a group, as an approval by the administrator. */
import { MAX_BULK_INSTALLS } from "../../contract/store/installs.ts";
import type { AuditAuthor } from "../../db/record-change.ts";
import { principalTable } from "../../db/tables/principals.ts";
import type { Deps } from "../../deps.ts";
import { type Actor, isSubject } from "../../route.ts";
import { createAccessReader } from "../access/principal-access.ts";
import { findVisibleEntry } from "../catalog/find-visible-entry.ts";
import { closeRequest, expireRequests } from "../requests/save-request.ts";
import { approveInstall, instanceToApprove } from "./approve-install.ts";
import { readInstallsOfPrincipal } from "./installs-of-principal.ts";
import { saveInstall } from "./save-install.ts";

export interface GroupInstallResult {
  installed: string[];
  already_installed: string[];
  /** Principals whose access level is none, which an approval does not change, and the caller if it needs approval. */
  refused: string[];
  /** Number of principals left for the next call. */
  left: number;
}

export async function installForGroup(
  deps: Deps,
  author: AuditAuthor & { actor: Actor },
  gateway_id: string,
  { code, instance_id, group }: { code: string; instance_id?: string | undefined; group: string },
): Promise<GroupInstallResult> {
  const readAccess = await createAccessReader(deps, gateway_id);
  const entry = await findVisibleEntry(deps, gateway_id, code);
  await expireRequests(deps);
  const instance = await instanceToApprove(deps, author, gateway_id, { entry, instance_id });
  const principals = await principalTable.all(deps.db, { gateway_id });
  const result: GroupInstallResult = { installed: [], already_installed: [], refused: [], left: 0 };
  for (const { principal_sub, groups } of principals.filter((one) => one.groups.includes(group))) {
    const { level } = (await readAccess({ principal_sub, groups })).levelFor(entry);
    // Approvers cannot decide their own requests, so a bulk install does not approve the caller's.
    const isOwnRequest = level === "request" && isSubject(author.actor, principal_sub);
    if (level === "none" || isOwnRequest) {
      result.refused.push(principal_sub);
      continue;
    }
    const target = { gateway_id, principal_sub, code };
    const existing = await readInstallsOfPrincipal(deps, target, { level, instances: [instance] });
    if (existing.installs.length > 0) {
      result.already_installed.push(principal_sub);
      continue;
    }
    if (result.installed.length >= MAX_BULK_INSTALLS) {
      result.left += 1;
      continue;
    }
    const install = { ...target, instance_id: instance.id };
    if (level === "install") {
      await saveInstall(deps, author, { ...install, ends_at: null }, { group });
    } else await approveInstall(deps, author, install, null);
    const superseded = existing.open.filter((row) => [null, instance.id].includes(row.instance_id));
    for (const row of superseded) await closeRequest(deps, author, row, { state: "superseded" });
    result.installed.push(principal_sub);
  }
  return result;
}
