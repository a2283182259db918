/** Wire shapes of new and changed tools, which are withheld until an administrator accepts them. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { Id, PageQuery, page, Time } from "../shapes.ts";

const Definition = z
  .record(z.string(), z.unknown())
  .describe("`name`, `title`, `description`, `inputSchema`, `outputSchema` and `annotations`.");

export const ToolChange = z.object({
  id: Id,
  instance_id: Id,
  instance_name: z.string(),
  tool: z.string().describe("Name of the tool at the server."),
  accepted: Definition.nullable().describe("Accepted definition. null: the tool is new."),
  accepted_by: z.string().nullable(),
  accepted_at: Time.nullable(),
  now: Definition.describe("Current definition at the server."),
  hash: z.string().describe("Hash of `now`; pass it to accept exactly this definition."),
  differs: z.array(z.string()).describe("Members that differ, such as `description`."),
  seen_at: Time,
});
export type ToolChange = z.infer<typeof ToolChange>;

const path = "/v1/gateways/:gateway_id/store/tool-changes";

export const listToolChanges = endpoint({
  name: "list_tool_changes",
  method: "GET",
  path,
  auth: "read",
  summary: "List new and changed tools that are withheld until they are accepted",
  query: PageQuery.pick({ limit: true, cursor: true }),
  reply: page(ToolChange),
});

export const acceptToolChange = endpoint({
  name: "accept_tool_change",
  method: "POST",
  path: `${path}/:tool_change_id/accept`,
  auth: "write",
  summary: "Accept the current definition of a tool, so that callers can use it",
  query: z.strictObject({
    hash: z
      .string()
      .optional()
      .describe("`hash` of the reviewed definition. Returns 409 if the tool has changed since."),
  }),
});
