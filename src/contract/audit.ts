/** Wire shapes of the audit log: every administrative change, with the values before and after. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Id, PageQuery, page, Text, Time } from "./shapes.ts";

export const AuditRecord = z.object({
  id: Id,
  at: Time,
  actor: z.string().describe("Name of the token or command that made the change."),
  actor_id: z.string().nullable(),
  action: z.string().describe("`<resource>.<verb>`, such as `registry.update`."),
  resource: z.string(),
  resource_id: z.string(),
  gateway_id: z.string().nullable(),
  before: z.record(z.string(), z.unknown()).nullable().describe("Secrets are masked."),
  after: z.record(z.string(), z.unknown()).nullable().describe("Secrets are masked."),
  request_id: z.string().nullable(),
  trace_id: z.string().nullable(),
});
export type AuditRecord = z.infer<typeof AuditRecord>;

export const listAudit = endpoint({
  name: "list_audit",
  method: "GET",
  path: "/v1/audit",
  auth: "audit",
  summary: "List administrative changes, newest first",
  query: PageQuery.omit({ sort: true }).extend({
    resource: Text.optional(),
    resource_id: Text.optional(),
    gateway_id: Id.optional(),
    actor_id: Text.optional(),
    action: Text.optional(),
  }),
  reply: page(AuditRecord),
});
