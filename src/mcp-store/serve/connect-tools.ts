/** `connect_<server>`: in the list while an install still needs something, so that it shows before a call fails. */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { MissingInput } from "../upstream/resolve-target.ts";
import { buildConnectMessage, buildConnectUrl } from "./connect-link.ts";
import type { CallerServer } from "./list-caller-servers.ts";
import type { McpSession } from "./session.ts";
import { errorResult, textResult } from "./tool-result.ts";

const PREFIX = "connect_";

export function buildConnectTool({ instance, prefix }: CallerServer, missing: MissingInput): Tool {
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
  { servers: places, upstreams, origin }: McpSession,
  name: string,
): Promise<CallToolResult | undefined> {
  const place = places.find(({ prefix }) => name === `${PREFIX}${prefix.long}`);
  if (!place?.install || place.suspended_because !== null) return undefined;
  const { missing } = await upstreams.listTools(place);
  if (!missing) return textResult(`${place.instance.name} is ready: list the tools again.`, {});
  const url = buildConnectUrl(origin, place.install);
  const text = buildConnectMessage(place.instance.name, missing, url);
  return { ...errorResult(text), isError: false, structuredContent: { connect_url: url } };
}
