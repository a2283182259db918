/** The Store's MCP tools: the operations of the HTTP API, for the calling principal. */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import { decode } from "../../contract/decode.ts";
import { AppError } from "../../contract/errors.ts";
import { Id } from "../../contract/shapes.ts";
import { Reason } from "../../contract/store/installs.ts";
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

/** Ignores unknown arguments, which some clients send. */
function defineStoreTool<Shape extends z.ZodObject>(
  description: Pick<Tool, "name" | "title" | "description" | "annotations">,
  shape: Shape,
  run: (session: PrincipalSession, args: z.output<Shape>) => Promise<CallToolResult>,
): StoreTool {
  const { properties, required } = z.toJSONSchema(shape, { io: "input" });
  // The type of a JSON Schema does not say that it is JSON.
  const inputSchema = { type: "object", properties, required } as Tool["inputSchema"];
  return {
    definition: { ...description, inputSchema },
    run: (session, args) => run(session, decode(shape, args ?? {})),
  };
}

const code = z.string().trim().min(1).max(200).describe("Code of the server.");
const instance_id = Id.optional().describe("Id of the instance, when the server has several.");

export const storeTools: readonly StoreTool[] = [
  defineStoreTool(
    {
      name: "store_search",
      title: "Search the Store",
      description:
        "Searches the MCP servers that the user can install or request. Returns the access level and install status of each.",
      annotations: { readOnlyHint: true },
    },
    z.object({
      query: z
        .string()
        .max(200)
        .default("")
        .describe(
          "Words in the name or description of a server. An empty query lists all servers.",
        ),
      category: z.string().max(200).optional(),
    }),
    storeSearch,
  ),
  defineStoreTool(
    {
      name: "store_install",
      title: "Install a server",
      description:
        "Installs a server for the user, or requests approval for it. When requires_reason is true, ask the user why they need it and call again with reason.",
    },
    z.object({
      code,
      instance_id,
      reason: Reason.optional().describe(
        "Why the user needs this server, as the user describes it.",
      ),
    }),
    storeInstall,
  ),
  defineStoreTool(
    {
      name: "store_status",
      title: "Status of installed servers",
      description:
        "Returns the state of each server that the user has installed: ready, not connected, or not working. Includes requests that wait for approval.",
      annotations: { readOnlyHint: true },
    },
    z.object({ code: code.optional() }),
    storeStatus,
  ),
  defineStoreTool(
    {
      name: "store_uninstall",
      title: "Uninstall a server",
      description: "Uninstalls a server for the user. The connected account is deleted.",
      annotations: { destructiveHint: true },
    },
    z.object({ code, instance_id }),
    storeUninstall,
  ),
];

/** Returns undefined when `name` is not a Store tool. */
export function callStoreTool(
  session: PrincipalSession,
  { name, args }: ToolCallRequest,
): Promise<CallToolResult> | undefined {
  const tool = storeTools.find(({ definition }) => definition.name === name);
  return tool && runStoreTool(tool, session, args);
}

async function runStoreTool(
  tool: StoreTool,
  session: PrincipalSession,
  args: unknown,
): Promise<CallToolResult> {
  try {
    return await tool.run(session, args);
  } catch (thrown) {
    if (thrown instanceof AppError) return toErrorResult(thrown);
    throw thrown;
  }
}
