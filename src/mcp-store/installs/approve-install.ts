/** Approves an install: saves the grant, which outlives the install, and the install itself. */
import { AppError } from "../../contract/errors.ts";
import type { CatalogEntry } from "../../contract/store/catalog.ts";
import type { AuditAuthor } from "../../db/record-change.ts";
import type { McpRegistryRow } from "../../db/tables/registries.ts";
import { storeGrantTable } from "../../db/tables/store-grants.ts";
import type { Deps } from "../../deps.ts";
import { createInstance, findEnabledInstance, listInstances } from "./instances.ts";
import { saveInstall } from "./save-install.ts";

export async function approveInstall(
  deps: Deps,
  author: AuditAuthor,
  target: { gateway_id: string; principal_sub: string; code: string; instance_id: string },
  expires_at: string | null,
): Promise<void> {
  const { gateway_id, principal_sub, instance_id } = target;
  const before = await storeGrantTable.find(deps.db, { gateway_id, principal_sub, instance_id });
  const grant = { approved_by: author.actor.name, expires_at };
  if (before) await storeGrantTable.update(deps.db, before.id, grant);
  else {
    const created_at = deps.now().toISOString();
    await storeGrantTable.insert(deps.db, { ...target, ...grant, id: deps.newId(), created_at });
  }
  await saveInstall(deps, author, { ...target, ends_at: expires_at }, { approved: true });
}

/** Returns the instance to approve: the named one, the only enabled one, or a new one. */
export async function instanceToApprove(
  deps: Deps,
  author: AuditAuthor,
  gateway_id: string,
  { entry, instance_id }: { entry: CatalogEntry; instance_id: string | null | undefined },
): Promise<McpRegistryRow> {
  const { code } = entry;
  if (instance_id) return await findEnabledInstance(deps, gateway_id, code, instance_id);
  const instances = await listInstances(deps, gateway_id, code);
  const [only, ...others] = instances.filter(({ enabled }) => enabled);
  if (others.length > 0) {
    throw new AppError(
      "validation_failed",
      "instance_id: required, because the server has several instances",
    );
  }
  if (only) return only;
  if (entry.needs_admin_setup || instances.length > 0) {
    throw new AppError(
      "conflict",
      `${code} has no enabled instance. Create or enable one at /v1/gateways/${gateway_id}/registries.`,
    );
  }
  return await createInstance(deps, author, gateway_id, entry);
}
