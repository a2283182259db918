/** Writes an audit record in the transaction of the change. */

import type { Db } from "./db.ts";
import { auditTable } from "./tables/audit-log.ts";

export interface AuditChange {
  resource: string;
  verb:
    | "create"
    | "update"
    | "delete"
    | "rotate"
    | "revoke"
    | "deny"
    | "block"
    | "approve"
    | "reject"
    | "cancel"
    | "expire"
    | "supersede"
    | "import"
    | "hold";
  id: string;
  gateway_id: string | null;
  /** Masked, as the API returns them. */
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
}

/** The actor of a change and its request. */
export interface AuditAuthor {
  actor: { id: string | null; name: string };
  request_id: string;
  trace_id: string;
}

export async function recordChange(
  deps: { db: Db; newId: () => string; now: () => Date },
  author: AuditAuthor,
  change: AuditChange,
): Promise<void> {
  await auditTable.insert(deps.db, {
    id: deps.newId(),
    at: deps.now().toISOString(),
    actor: author.actor.name,
    actor_id: author.actor.id,
    action: `${change.resource}.${change.verb}`,
    resource: change.resource,
    resource_id: change.id,
    gateway_id: change.gateway_id,
    before: change.before,
    after: change.after,
    request_id: author.request_id,
    trace_id: author.trace_id,
  });
}
