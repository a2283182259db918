/** Installs a Store server for a principal, or files the request that an approver decides (spec 4.1). */
import type { AppError } from "../../contract/errors.ts";
import type { InstallReply, InstallRequest } from "../../contract/store-installs.ts";
import { savePrincipal } from "../../db/principals.ts";
import type { AuditAuthor } from "../../db/record-change.ts";
import type { Deps } from "../../deps.ts";
import { readPrincipalAccess } from "../access/principal-access.ts";
import { findVisibleEntry } from "../catalog/find-visible-entry.ts";
import { expireRequests } from "../requests/save-request.ts";
import { applyInstallDecision } from "./apply-install-decision.ts";
import { decideInstall } from "./decide-install.ts";
import { readInstallsOfPrincipal } from "./installs-of-principal.ts";
import { findEnabledInstance, listInstances } from "./instances.ts";

/**
 * `deps.db` is a transaction that has its turn (`changeStore`), so of two equal calls the second sees what
 * the first did. A refusal is returned: its record stays. `sign_in`: of the principal who asks.
 */
export async function installServer(
  deps: Deps,
  author: AuditAuthor,
  gateway_id: string,
  wish: InstallRequest,
  sign_in?: string,
): Promise<InstallReply | AppError> {
  const { principal_sub, code, reason = "" } = wish;
  const instance_id = wish.instance_id || undefined;
  // spec 4.1.1: as it is now, whatever a token or an earlier answer said.
  const standing = await readPrincipalAccess(deps, gateway_id, wish);
  const entry = await findVisibleEntry(deps, gateway_id, code);
  const { level, decided_by } = standing.levelFor(entry);
  if (wish.groups) await rememberGroups(deps, gateway_id, wish);
  // Whoever has no access learns nothing about instances.
  if (instance_id && level !== "none") {
    await findEnabledInstance(deps, gateway_id, code, instance_id);
  }
  await expireRequests(deps);
  const instances = await listInstances(deps, gateway_id, code);
  const place = { gateway_id, principal_sub, code };
  const held = await readInstallsOfPrincipal(deps, place, { level, instances });
  const decision = decideInstall(
    {
      level,
      needs_admin_setup: entry.needs_admin_setup,
      instances,
      installed: held.installs.map((install) => install.instance_id),
      granted: held.grants.map((grant) => grant.instance_id),
      open: held.open,
    },
    { instance_id, reason },
  );
  const why = { level, rule_id: decided_by?.id ?? null };
  const groups = [...standing.groups];
  return await applyInstallDecision(deps, author, {
    decision,
    entry,
    target: place,
    existing: held,
    reason,
    groups,
    why,
    sign_in,
  });
}

/** Whoever acts for the principal knows their groups: what is looked at later rests on them too. */
async function rememberGroups(
  deps: Deps,
  gateway_id: string,
  { principal_sub, groups = [] }: InstallRequest,
): Promise<void> {
  const seen_at = deps.now().toISOString();
  const row = { id: deps.newId(), gateway_id, principal_sub, groups, seen_at };
  await savePrincipal(deps.db, row);
}
