/** `connect_<server>`: in the list while an install still needs something, so that it shows before a call fails. */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { Missing } from "../upstream/target.ts";
import { connectText, connectUrl } from "./connect-link.ts";
import type { Session } from "./session.ts";
import type { Place } from "./surface.ts";
import { answered, refused } from "./tool-result.ts";

const PREFIX = "connect_";

export function connectTool({ instance, prefix }: Place, missing: Missing): Tool {
  const todo = missing === "auth" ? "an account to be connected" : "values to be filled in";
  return {
    name: `${PREFIX}${prefix.long}`,
    title: `Connect ${instance.name}`,
    description: `${instance.name} is installed and needs ${todo}. Gives the link for the user to open.`,
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
  };
}

/** Undefined when the name is not one of these. */
export async function callConnectTool(
  { places, upstreams, origin }: Session,
  name: string,
): Promise<CallToolResult | undefined> {
  const place = places.find(({ prefix }) => name === `${PREFIX}${prefix.long}`);
  if (!place?.install || place.suspended_because !== null) return undefined;
  const { missing } = await upstreams.offered(place);
  if (!missing) return answered(`${place.instance.name} is ready: list the tools again.`, {});
  const url = connectUrl(origin, place.install);
  const text = connectText(place.instance.name, missing, url);
  return { ...refused(text), isError: false, structuredContent: { connect_url: url } };
}
