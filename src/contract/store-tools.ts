/** Wire shapes of new and changed tools: held back until an administrator accepts them as they are now. */
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
  accepted: Definition.nullable().describe("As it was accepted; null: the tool is new."),
  accepted_by: z.string().nullable(),
  accepted_at: Time.nullable(),
  now: Definition.describe("As the server offers it now."),
  hash: z.string().describe("Of `now`; pass it to accept exactly this definition."),
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
  summary: "List new and changed tools that are held back until they are accepted",
  query: PageQuery.pick({ limit: true, cursor: true }),
  reply: page(ToolChange),
});

export const acceptToolChange = endpoint({
  name: "accept_tool_change",
  method: "POST",
  path: `${path}/:tool_change_id/accept`,
  auth: "write",
  summary: "Accept a tool as it is now; callers can use it from then on",
  query: z.strictObject({
    hash: z
      .string()
      .optional()
      .describe("`hash` of the definition you reviewed: 409 if the tool has changed again since."),
  }),
});
