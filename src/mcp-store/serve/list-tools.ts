/** tools/list: the Store's own tools, what each installed server offers, and what is still to be done. */
import type { Tool as ListedTool } from "@modelcontextprotocol/server";
import { connectTool } from "./connect-tools.ts";
import { offeredTools } from "./offered-tools.ts";
import { isPrincipal, type Session } from "./session.ts";
import { storeTools } from "./store-tools.ts";
import type { Place } from "./surface.ts";
import { exposedNames } from "./tool-names.ts";

/** Servers are asked side by side: one that is dead leaves out itself, and nobody waits for two. */
export async function listTools(session: Session): Promise<ListedTool[]> {
  const usable = session.places.filter(({ suspended_because }) => suspended_because === null);
  const lists = await Promise.all(usable.map((place) => toolsAt(session, place)));
  const own = isPrincipal(session) ? storeTools.map(({ definition }) => definition) : [];
  return [...own, ...lists.flat()];
}

async function toolsAt(session: Session, place: Place): Promise<ListedTool[]> {
  const { tools, names, missing } = await offeredTools(session, place);
  if (missing) return [connectTool(place, missing)];
  // The definitions are cached, and shared: what is held is the text that is sent.
  session.hold.add(tools.reduce((sum, { tool }) => sum + tool.size, 0));
  const exposed = exposedNames(place.prefix, names, place.instance.provider_options.tool_aliases);
  return tools.map(({ shown }) => ({ ...shown, name: exposed.get(shown.name) ?? shown.name }));
}
