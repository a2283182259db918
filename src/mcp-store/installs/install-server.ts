/** Installs a Store server for a principal, or files a request for an approver (spec 4.1). */
import type { AppError } from "../../contract/errors.ts";
import type { InstallReply, InstallRequest } from "../../contract/store/installs.ts";
import type { AuditAuthor } from "../../db/record-change.ts";
import { savePrincipal } from "../../db/tables/principals.ts";
import type { Deps } from "../../deps.ts";
import { readPrincipalAccess } from "../access/principal-access.ts";
import { findVisibleEntry } from "../catalog/find-visible-entry.ts";
import type { Principal } from "../principals/identify-principal.ts";
import { expireRequests } from "../requests/save-request.ts";
import { applyInstallDecision } from "./apply-install-decision.ts";
import { decideInstall } from "./decide-install.ts";
import { readInstallsOfPrincipal } from "./installs-of-principal.ts";
import { findEnabledInstance, listInstances } from "./instances.ts";

/**
 * `deps.db` is a serialized transaction (`changeStore`), so the second of two equal calls sees the result of
 * the first. A rejection is returned instead of thrown, so that its audit record is committed.
 * `caller` is undefined if an administrator calls.
 */
export async function installServer(
  deps: Deps,
  author: AuditAuthor,
  gateway_id: string,
  input: InstallRequest,
  caller?: Pick<Principal, "sign_in" | "origin_token_id">,
): Promise<InstallReply | AppError> {
  const { principal_sub, code, reason = "" } = input;
  const instance_id = input.instance_id || undefined;
  // spec 4.1.1: computed now, independent of tokens and earlier responses.
  const access = await readPrincipalAccess(deps, gateway_id, input);
  const entry = await findVisibleEntry(deps, gateway_id, code);
  const { level, decided_by } = access.levelFor(entry);
  if (input.groups) await saveGroups(deps, gateway_id, input);
  // Without access, the error must not reveal which instances exist.
  if (instance_id && level !== "none") {
    await findEnabledInstance(deps, gateway_id, code, instance_id);
  }
  await expireRequests(deps);
  const instances = await listInstances(deps, gateway_id, code);
  const target = { gateway_id, principal_sub, code };
  const existing = await readInstallsOfPrincipal(deps, target, { level, instances });
  const decision = decideInstall(
    {
      level,
      needs_admin_setup: entry.needs_admin_setup,
      instances,
      installed: existing.installs.map((install) => install.instance_id),
      granted: existing.grants.map((grant) => grant.instance_id),
      open: existing.open,
    },
    { instance_id, reason },
  );
  const why = { level, rule_id: decided_by?.id ?? null };
  const groups = [...access.groups];
  return await applyInstallDecision(deps, author, {
    decision,
    entry,
    target,
    existing,
    reason,
    groups,
    why,
    sign_in: caller?.sign_in,
    token_id: caller?.origin_token_id ?? author.actor.id,
  });
}

/** Saves the groups that the caller reports, because later reads use them too. */
async function saveGroups(
  deps: Deps,
  gateway_id: string,
  { principal_sub, groups = [] }: InstallRequest,
): Promise<void> {
  const seen_at = deps.now().toISOString();
  const row = { id: deps.newId(), gateway_id, principal_sub, groups, seen_at };
  await savePrincipal(deps.db, row);
}
