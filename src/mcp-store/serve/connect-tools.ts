/** The tool `connect_<server>`, listed while an install has missing requirements, so that they show before a call fails. */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { MissingInput } from "../upstream/resolve-target.ts";
import type { CallerServer } from "./caller-servers.ts";
import { buildConnectMessage, buildConnectUrl } from "./connect-link.ts";
import type { McpSession } from "./session.ts";
import { errorResult, textResult } from "./tool-result.ts";

const PREFIX = "connect_";

export function buildConnectTool({ instance, prefix }: CallerServer, missing: MissingInput): Tool {
  const [requirement, step] =
    missing === "auth"
      ? ["no account is connected", "connects one"]
      : ["values are missing", "enters them"];
  return {
    name: `${PREFIX}${prefix.long}`,
    title: `Connect ${instance.name}`,
    description: `${instance.name} is installed, but ${requirement}. Returns a link to the page where the user ${step}.`,
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
  };
}

/** Returns undefined when `name` is not a connect tool. */
export async function callConnectTool(
  { servers, upstreams, origin }: McpSession,
  name: string,
): Promise<CallToolResult | undefined> {
  if (!name.startsWith(PREFIX)) return undefined;
  const server = servers.find(({ prefix }) => name === `${PREFIX}${prefix.long}`);
  if (!server?.install || server.suspended_because !== null) return undefined;
  const { missing } = await upstreams.listTools(server);
  if (!missing)
    return textResult(
      `${server.instance.name} can be used: its tools are available in the list of tools.`,
      {},
    );
  const url = buildConnectUrl(origin, server.install);
  const text = buildConnectMessage(server.instance.name, missing, url);
  return { ...errorResult(text), isError: false, structuredContent: { connect_url: url } };
}
