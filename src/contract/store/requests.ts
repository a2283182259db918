/** Wire shapes of Store requests, which an approver decides (spec 4.1.2). */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { Id, PageQuery, page, Text, Time } from "../shapes.ts";
import { PrincipalSub } from "./access.ts";

const REQUEST_STATES = [
  "pending",
  "approved",
  "rejected",
  "cancelled",
  "expired",
  "superseded",
] as const;

export const StoreRequest = z.object({
  id: Id,
  gateway_id: Id,
  principal_sub: z.string(),
  code: z.string(),
  instance_id: z.string().nullable().describe("null: the approver chooses the instance."),
  reason: z.string().nullable().describe("Reason of the principal, if an approver decides."),
  groups: z.array(z.string()).describe("Groups of the principal at the time of the request."),
  state: z.enum(REQUEST_STATES),
  decided_by: z.string().nullable(),
  decision_note: z.string().nullable(),
  created_at: Time,
  decided_at: Time.nullable(),
  expires_at: Time.describe("Time at which the request expires without a decision."),
});
export type StoreRequest = z.infer<typeof StoreRequest>;

const path = "/v1/gateways/:gateway_id/store/requests";
const one = `${path}/:request_id` as const;

export const listStoreRequests = endpoint({
  name: "list_store_requests",
  method: "GET",
  path,
  auth: "read",
  summary: "List requests for Store servers, oldest first",
  query: PageQuery.extend({
    state: z.enum(REQUEST_STATES).optional(),
    principal_sub: PrincipalSub.optional(),
    code: Text.max(200).optional(),
  }),
  reply: page(StoreRequest),
});

export const getStoreRequest = endpoint({
  name: "get_store_request",
  method: "GET",
  path: one,
  auth: "read",
  summary: "Get a request",
  reply: StoreRequest,
});

const Note = Text.trim().max(1000);

export const approveStoreRequest = endpoint({
  name: "approve_store_request",
  method: "POST",
  path: `${one}/approve`,
  auth: "approve",
  summary: "Approve a request and install the server, until `expires_at` if set",
  body: z.strictObject({
    instance_id: Id.optional().describe("Instance to install, if the request does not name one."),
    expires_at: Time.nullable().default(null),
    note: Note.default(""),
  }),
  reply: StoreRequest,
  configures: false,
});

export const rejectStoreRequest = endpoint({
  name: "reject_store_request",
  method: "POST",
  path: `${one}/reject`,
  auth: "approve",
  summary: "Reject a request, with a note for the principal",
  body: z.strictObject({ note: Note.min(1) }),
  reply: StoreRequest,
  configures: false,
});

export const cancelStoreRequest = endpoint({
  name: "cancel_store_request",
  method: "POST",
  path: `${one}/cancel`,
  auth: "approve",
  summary: "Cancel a request on behalf of the principal",
  reply: StoreRequest,
  configures: false,
});
