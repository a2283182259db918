/** Writes who changed what into the audit log, in the transaction of the change itself. */
import { auditTable } from "../db/audit-log.ts";
import type { Deps } from "../deps.ts";
import type { Call } from "../route.ts";

export type Change = {
  resource: string;
  verb: "create" | "update" | "delete" | "rotate" | "revoke";
  id: string;
  gateway_id: string | null;
  /** As the API shows them: masked. */
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
};

export async function recordChange(
  deps: Deps,
  call: Pick<Call, "actor" | "request_id" | "trace_id">,
  change: Change,
): Promise<void> {
  await auditTable.insert(deps.db, {
    id: deps.newId(),
    at: deps.now().toISOString(),
    actor: call.actor.name,
    actor_id: call.actor.id,
    action: `${change.resource}.${change.verb}`,
    resource: change.resource,
    resource_id: change.id,
    gateway_id: change.gateway_id,
    before: change.before,
    after: change.after,
    request_id: call.request_id,
    trace_id: call.trace_id,
  });
}
