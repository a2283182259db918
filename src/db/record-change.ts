/** Writes an audit record in the transaction of the change. */

import { nameResource } from "../contract/describe-audit.ts";
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
    | "hold"
    | "approved"
    | "denied"
    | "sign_in"
    | "sign_out"
    | "fail";
  id: string;
  /** Name of the resource, if `before` and `after` do not contain it. */
  name?: string;
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
  const { resource, verb, id, name = "", gateway_id, before, after } = change;
  const actor = author.actor.name;
  await auditTable.insert(deps.db, {
    id: deps.newId(),
    at: deps.now().toISOString(),
    actor,
    actor_id: author.actor.id,
    action: `${resource}.${verb}`,
    resource,
    resource_id: id,
    name: nameResource({ actor, resource, resource_id: id, name, before, after }),
    gateway_id,
    before,
    after,
    request_id: author.request_id,
    trace_id: author.trace_id,
  });
}
