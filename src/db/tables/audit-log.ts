/** The audit_log table: append only. */
import type { AuditRecord } from "../../contract/audit.ts";
import { table } from "../table.ts";

export const auditTable = table<AuditRecord>({
  name: "audit_log",
  columns: {
    id: "text",
    at: "text",
    actor: "text",
    actor_id: "text",
    action: "text",
    resource: "text",
    resource_id: "text",
    gateway_id: "text",
    before: "json",
    after: "json",
    request_id: "text",
    trace_id: "text",
  },
  search: ["action", "actor", "resource_id"],
  sort: ["-at"],
});
