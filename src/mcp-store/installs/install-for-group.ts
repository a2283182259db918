/** Installs a server for every known principal of a group. An administrator says so, which is an approval. */
import { MAX_BULK_INSTALLS } from "../../contract/store-installs.ts";
import { principalTable } from "../../db/principals.ts";
import type { AuditAuthor } from "../../db/record-change.ts";
import type { Deps } from "../../deps.ts";
import { createAccessReader } from "../access/principal-access.ts";
import { findVisibleEntry } from "../catalog/find-visible-entry.ts";
import { closeRequest, expireRequests } from "../requests/save-request.ts";
import { approveInstall, instanceToApprove } from "./approve-install.ts";
import { readInstallsOfPrincipal } from "./installs-of-principal.ts";
import { saveInstall } from "./save-install.ts";

export interface GroupInstallResult {
  installed: string[];
  already_installed: string[];
  /** Their access level is none, which no approval lifts. */
  refused: string[];
  /** How many wait for the next call. */
  left: number;
}

export async function installForGroup(
  deps: Deps,
  author: AuditAuthor,
  gateway_id: string,
  { code, instance_id, group }: { code: string; instance_id?: string | undefined; group: string },
): Promise<GroupInstallResult> {
  const standing = await createAccessReader(deps, gateway_id);
  const entry = await findVisibleEntry(deps, gateway_id, code);
  await expireRequests(deps);
  const instance = await instanceToApprove(deps, author, gateway_id, { entry, instance_id });
  const known = await principalTable.all(deps.db, { gateway_id });
  const done: GroupInstallResult = { installed: [], already_installed: [], refused: [], left: 0 };
  for (const { principal_sub, groups } of known.filter((one) => one.groups.includes(group))) {
    const { level } = (await standing({ principal_sub, groups })).levelFor(entry);
    if (level === "none") {
      done.refused.push(principal_sub);
      continue;
    }
    const place = { gateway_id, principal_sub, code };
    const held = await readInstallsOfPrincipal(deps, place, { level, instances: [instance] });
    if (held.installs.length > 0) {
      done.already_installed.push(principal_sub);
      continue;
    }
    if (done.installed.length >= MAX_BULK_INSTALLS) {
      done.left += 1;
      continue;
    }
    const install = { ...place, instance_id: instance.id };
    if (level === "install") {
      await saveInstall(deps, author, { ...install, ends_at: null }, { group });
    } else await approveInstall(deps, author, install, null);
    const idle = held.open.filter((row) => [null, instance.id].includes(row.instance_id));
    for (const row of idle) await closeRequest(deps, author, row, { state: "superseded" });
    done.installed.push(principal_sub);
  }
  return done;
}
