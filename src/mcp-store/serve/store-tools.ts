/** The Store inside the client: the same operations as over HTTP, for the principal who calls. */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { decode } from "../../contract/decode.ts";
import { AppError } from "../../contract/errors.ts";
import { Id } from "../../contract/shapes.ts";
import { Reason } from "../../contract/store-installs.ts";
import type { ToolCallRequest } from "./call-tool.ts";
import type { PrincipalSession } from "./session.ts";
import { storeInstall } from "./store-install.ts";
import { storeSearch } from "./store-search.ts";
import { storeStatus } from "./store-status.ts";
import { storeUninstall } from "./store-uninstall.ts";
import { toErrorResult } from "./tool-result.ts";

interface StoreTool {
  definition: Tool;
  run: (session: PrincipalSession, args: unknown) => Promise<CallToolResult>;
}

/** Clients send members that mean nothing here. */
function defineStoreTool<Shape extends z.ZodObject>(
  described: Pick<Tool, "name" | "title" | "description" | "annotations">,
  shape: Shape,
  run: (session: PrincipalSession, args: z.output<Shape>) => Promise<CallToolResult>,
): StoreTool {
  const { properties, required } = z.toJSONSchema(shape, { io: "input" });
  // A JSON Schema is JSON, which its own type does not say.
  const inputSchema = { type: "object", properties, required } as Tool["inputSchema"];
  return {
    definition: { ...described, inputSchema },
    run: (session, args) => run(session, decode(shape, args ?? {})),
  };
}

const code = z.string().trim().min(1).max(200).describe("The code of the server.");
const instance_id = Id.optional().describe("Which instance, when there are several.");

export const storeTools: readonly StoreTool[] = [
  defineStoreTool(
    {
      name: "store_search",
      title: "Search the Store",
      description:
        "Finds MCP servers that the user can install or ask for, with the user's access level and install status for each.",
      annotations: { readOnlyHint: true },
    },
    z.object({
      query: z.string().max(200).default("").describe("Words to look for; empty finds all."),
      category: z.string().max(200).optional(),
    }),
    storeSearch,
  ),
  defineStoreTool(
    {
      name: "store_install",
      title: "Install a server",
      description:
        "Installs a server for the user, or asks an approver for it. When requires_reason is true, ask the user why they need it and call again with reason.",
    },
    z.object({
      code,
      instance_id,
      reason: Reason.optional().describe("Why, in the user's words."),
    }),
    storeInstall,
  ),
  defineStoreTool(
    {
      name: "store_status",
      title: "Status of installed servers",
      description:
        "Tells what the user has installed, what is missing or broken, and which requests are open.",
      annotations: { readOnlyHint: true },
    },
    z.object({ code: code.optional() }),
    storeStatus,
  ),
  defineStoreTool(
    {
      name: "store_uninstall",
      title: "Uninstall a server",
      description: "Removes a server of the user, with the account that was connected to it.",
      annotations: { destructiveHint: true },
    },
    z.object({ code, instance_id }),
    storeUninstall,
  ),
];

/** Undefined when the name is not one of these. */
export async function callStoreTool(
  session: PrincipalSession,
  { name, args }: ToolCallRequest,
): Promise<CallToolResult | undefined> {
  const tool = storeTools.find(({ definition }) => definition.name === name);
  if (!tool) return undefined;
  try {
    return await tool.run(session, args);
  } catch (thrown) {
    if (thrown instanceof AppError) return toErrorResult(thrown);
    throw thrown;
  }
}
