/** Wire shapes of approvals: decisions by a person that an `ask` verdict requests. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { Id, PageQuery, page, Text, Time } from "../shapes.ts";
import { StoredText } from "./activity.ts";

const APPROVAL_STATUSES = ["pending", "approved", "denied", "expired"] as const;

export const Approval = z.object({
  id: Id,
  status: z.enum(APPROVAL_STATUSES),
  collector_id: Id,
  policy_id: Id,
  policy_version: z.int(),
  asked_by: z.string().describe("Gate or detector that requested the approval."),
  consumer_id: z.string().nullable(),
  session_id: z.string().nullable(),
  application: z.string().nullable(),
  tool: z.string().nullable(),
  event_id: Id.describe("Id of the evaluation in Activity."),
  note: z.string().nullable().describe("Note of the approver."),
  decided_by: z.string().nullable().describe("Name of the approver's token."),
  decided_at: Time.nullable(),
  expires_at: Time.describe("Deadline for the decision, and for presenting an approval."),
  created_at: Time,
});
export type Approval = z.infer<typeof Approval>;

export const listApprovals = endpoint({
  name: "list_approvals",
  method: "GET",
  path: "/v1/approvals",
  auth: "read",
  summary: "List approvals, newest first",
  query: PageQuery.omit({ sort: true }).extend({
    status: z.enum(APPROVAL_STATUSES).optional(),
    collector_id: Id.optional(),
  }),
  reply: page(Approval),
});

export const getApproval = endpoint({
  name: "get_approval",
  method: "GET",
  path: "/v1/approvals/:approval_id",
  auth: "read",
  summary: "Get an approval; while it is pending, with the content to decide about",
  reply: Approval.extend({
    content: z
      .array(StoredText)
      .nullable()
      .describe(
        "All strings, numbers and booleans of the payload, empty arguments, the addresses or names of files, and the attributes `tool` and `tool.*`, masked regardless of the collector's `content_storage`. A code follows each mask (`[MASKED_CC]#46b2ee2d`), the same for the same value of this collector. Bytes and the schemas of functions are shown by such a code alone (`binary#…`, `schema#…`). Beside a decoded text is how it was encoded (`data:text/html;base64,#…`), and `object` marks an object whose members are named like indexes. null: no longer pending, or the caller may neither approve nor audit.",
      ),
  }),
});

export const decideApproval = endpoint({
  name: "decide_approval",
  method: "POST",
  path: "/v1/approvals/:approval_id/decide",
  auth: "approve",
  summary: "Approve or deny; the first decision is final",
  body: z.strictObject({
    decision: z.enum(["approved", "denied"]),
    note: Text.max(1000).nullable().default(null),
  }),
  reply: Approval,
});

export const checkApproval = endpoint({
  name: "check_approval",
  method: "GET",
  path: "/v1/evaluate/approvals/:approval_id",
  plane: "guard",
  auth: "collector",
  summary: "Get the status of an approval, with the collector's key",
  reply: Approval.pick({ id: true, status: true, expires_at: true }),
});
