/** Wire shapes of tools that changed: held back until an administrator accepts what they are now. */
import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { Id, PageQuery, page, Time } from "./shapes.ts";

const Definition = z
  .record(z.string(), z.unknown())
  .describe("`name`, `title`, `description`, `inputSchema`, `outputSchema` and `annotations`.");

export const ToolChange = z.object({
  id: Id,
  instance_id: Id,
  instance_name: z.string(),
  tool: z.string().describe("Its name at the server."),
  accepted: Definition.describe("As it was accepted."),
  accepted_by: z.string(),
  accepted_at: Time,
  now: Definition.describe("As the server tells it now."),
  hash: z.string().describe("Of `now`: names it when it is accepted."),
  differs: z.array(z.string()).describe("Which members differ, such as `description`."),
  seen_at: Time,
});
export type ToolChange = z.infer<typeof ToolChange>;

const path = "/v1/gateways/:gateway_id/store/tool-changes";

export const listToolChanges = endpoint({
  name: "list_tool_changes",
  method: "GET",
  path,
  auth: "read",
  summary: "List tools that changed since they were accepted and are held back",
  query: PageQuery.pick({ limit: true, cursor: true }),
  reply: page(ToolChange),
});

export const acceptToolChange = endpoint({
  name: "accept_tool_change",
  method: "POST",
  path: `${path}/:tool_change_id/accept`,
  auth: "write",
  summary: "Accept a tool as it is now; from then on callers see it again",
  query: z.strictObject({
    hash: z
      .string()
      .optional()
      .describe("Of what you looked at: a tool that changed once more is not accepted (409)."),
  }),
});
