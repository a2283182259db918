/** tools/list: the Store's own tools, what each installed server offers, and what is still to be done. */
import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import { buildConnectTool } from "./connect-tools.ts";
import type { CallerServer } from "./list-caller-servers.ts";
import { listOfferedTools } from "./list-offered-tools.ts";
import { isPrincipal, type McpSession } from "./session.ts";
import { storeTools } from "./store-tools.ts";
import { assignToolNames } from "./tool-names.ts";

/** Servers are asked side by side: one that is dead leaves out itself, and nobody waits for two. */
export async function listTools(session: McpSession): Promise<ListedTool[]> {
  const usable = session.servers.filter(({ suspended_because }) => suspended_because === null);
  const lists = await Promise.all(usable.map((place) => listServerTools(session, place)));
  const own = isPrincipal(session) ? storeTools.map(({ definition }) => definition) : [];
  return [...own, ...lists.flat()];
}

async function listServerTools(session: McpSession, place: CallerServer): Promise<ListedTool[]> {
  const { tools, names, missing } = await listOfferedTools(session, place);
  if (missing) return [buildConnectTool(place, missing)];
  // The definitions are cached, and shared: what is held is the text that is sent.
  session.memory.add(tools.reduce((sum, { tool }) => sum + tool.size, 0));
  const exposed = assignToolNames(
    place.prefix,
    names,
    place.instance.provider_options.tool_aliases,
  );
  return tools.map(({ shown }) => ({ ...shown, name: exposed.get(shown.name) ?? shown.name }));
}
