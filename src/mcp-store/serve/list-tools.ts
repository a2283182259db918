/** Handles tools/list: the Store's tools, the tools of each server, and connect tools for missing requirements. */
import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import type { CallerServer } from "./caller-servers.ts";
import { buildConnectTool } from "./connect-tools.ts";
import { listOfferedTools } from "./list-offered-tools.ts";
import { isPrincipal, type McpSession } from "./session.ts";
import { storeTools } from "./store-tools.ts";

/** Requests all servers in parallel. A server that fails is left out. */
export async function listTools(session: McpSession): Promise<ListedTool[]> {
  const usable = session.servers.filter(({ suspended_because }) => suspended_because === null);
  const lists = await Promise.all(usable.map((server) => listServerTools(session, server)));
  const storeDefinitions = isPrincipal(session)
    ? storeTools.map(({ definition }) => definition)
    : [];
  return [...storeDefinitions, ...lists.flat()];
}

async function listServerTools(session: McpSession, server: CallerServer): Promise<ListedTool[]> {
  const { tools, names, missing } = await listOfferedTools(session, server);
  if (missing) return [buildConnectTool(server, missing)];
  // Counts the text to be sent; the definitions themselves are cached and shared.
  session.memory.add(tools.reduce((sum, { tool }) => sum + tool.size, 0));
  const exposed = session.nameTools(server, names);
  return tools.map(({ shown }) => ({ ...shown, name: exposed.get(shown.name) ?? shown.name }));
}
