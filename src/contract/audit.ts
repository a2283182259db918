/** Wire shapes of the audit log: administrative changes and sign-ins. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Id, PageQuery, page, Text, Time } from "./shapes.ts";

export const AuditRecord = z.object({
  id: Id,
  at: Time,
  actor: z.string().describe("Name of the token, principal or command that made the change."),
  actor_id: z.string().nullable(),
  action: z.string().describe("`<resource>.<verb>`, such as `registry.update`."),
  resource: z.string(),
  resource_id: z.string(),
  name: z.string().describe("Name of the resource at the time of the change."),
  gateway_id: z.string().nullable(),
  before: z.record(z.string(), z.unknown()).nullable().describe("Secrets are masked."),
  after: z.record(z.string(), z.unknown()).nullable().describe("Secrets are masked."),
  request_id: z.string().nullable(),
  trace_id: z.string().nullable(),
  summary: z.string().describe("The change as a sentence."),
  exists: z
    .boolean()
    .nullable()
    .describe("Whether the resource still exists. null: not a resource that can be read."),
});
export type AuditRecord = z.infer<typeof AuditRecord>;
/** Shape of a record in the export, which does not look up resources. */
export const ExportedAuditRecord = AuditRecord.omit({ exists: true });
export type ExportedAuditRecord = z.infer<typeof ExportedAuditRecord>;
export type AuditRow = Omit<ExportedAuditRecord, "summary">;

const Filters = z.strictObject({
  q: Text.max(200).optional().describe("Text to find in the name, actor, action or resource id."),
  from: Time.optional().describe("Start of the range, inclusive."),
  to: Time.optional().describe("End of the range, exclusive."),
  actor: Text.optional().describe("Exact name of the actor."),
  actor_id: Text.optional(),
  resource: Text.optional(),
  resource_id: Text.optional(),
  gateway_id: Id.optional(),
  action: Text.optional(),
});
export type AuditFilters = z.output<typeof Filters>;

export const listAudit = endpoint({
  name: "list_audit",
  method: "GET",
  path: "/v1/audit",
  auth: "audit",
  summary:
    "List administrative changes and sign-ins, newest first; a filter may return short pages",
  query: PageQuery.omit({ sort: true }).extend(Filters.shape),
  reply: page(AuditRecord),
});

export const listAuditActors = endpoint({
  name: "list_audit_actors",
  method: "GET",
  path: "/v1/audit/actors",
  auth: "audit",
  summary: "List the names of actors in the audit log, at most 100",
  query: z.strictObject({ q: Text.max(200).optional(), gateway_id: Id.optional() }),
  reply: z.object({ items: z.array(z.string()) }),
});

export const exportAudit = endpoint({
  name: "export_audit",
  method: "GET",
  path: "/v1/audit/export",
  auth: "audit",
  summary: "Export the audit log as JSON Lines or CSV, oldest first",
  query: Filters.extend({ format: z.enum(["jsonl", "csv"]).default("jsonl") }),
  reply: z.string(),
});
