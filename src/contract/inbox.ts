/** Wire shapes of the inbox: evaluations and Store requests that a person decides. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Id, PageQuery, page, Time } from "./shapes.ts";

const INBOX_KINDS = ["evaluation", "store_request"] as const;
const INBOX_STATES = [
  "pending",
  "approved",
  "rejected",
  "cancelled",
  "expired",
  "superseded",
] as const;

export const InboxItem = z.object({
  id: Id.describe("Id of the approval or of the Store request."),
  kind: z.enum(INBOX_KINDS),
  state: z.enum(INBOX_STATES).describe("A denied approval is `rejected`."),
  gateway_id: Id.nullable().describe("null: the collector of the evaluation has no gateway."),
  requester: z.string().nullable().describe("`consumer_id`, or the principal of a Store request."),
  subject: z
    .string()
    .describe("Gate or detector that requires the approval, or code of the requested server."),
  server_name: z
    .string()
    .nullable()
    .describe("Name of the requested server. null: an evaluation, or no longer in the catalog."),
  tool: z.string().nullable().describe("Called tool of an evaluation."),
  reason: z.string().nullable().describe("Reason of a Store request."),
  own: z
    .boolean()
    .describe(
      "The caller is the requester, sent the request or created its key, so another person must decide.",
    ),
  decided_by: z.string().nullable(),
  created_at: Time,
  expires_at: Time,
});
export type InboxItem = z.infer<typeof InboxItem>;

export const InboxFilters = z.strictObject({
  kind: z.enum(INBOX_KINDS).optional(),
  state: z.enum(INBOX_STATES).optional(),
  gateway_id: Id.optional(),
  from: Time.optional().describe("Start of the range of `created_at`, inclusive."),
  to: Time.optional().describe("End of the range, exclusive."),
});
export type InboxFilters = z.infer<typeof InboxFilters>;

export const listInbox = endpoint({
  name: "list_inbox",
  method: "GET",
  path: "/v1/inbox",
  auth: "read",
  summary:
    "List approvals and Store requests, newest first; a token for some gateways gets their Store requests",
  query: PageQuery.omit({ sort: true }).extend(InboxFilters.shape),
  reply: page(InboxItem),
});
