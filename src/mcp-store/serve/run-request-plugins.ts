/** Runs the gateway's plugins on an MCP request, as the data plane does. Each message of a batch counts. */
import { readUser } from "../../contract/gateway/user-header.ts";
import type { Deps } from "../../deps.ts";
import { runPlugins } from "../../plugins/run-plugins.ts";
import type { McpCaller } from "./identify-mcp-caller.ts";

export async function runRequestPlugins(
  deps: Deps,
  { headers }: Request,
  caller: McpCaller,
  {
    client,
    cost,
    reply_headers,
  }: { client: string; cost: number; reply_headers: Record<string, string> },
): Promise<void> {
  const gateway = deps.snapshot().gateways.get(caller.gateway_id);
  if (!gateway || gateway.plugins.length === 0) return;
  // The principal is the user; the user header is ignored.
  const subject =
    caller.kind === "principal"
      ? { key_id: caller.principal_sub, user: caller.principal_sub }
      : { key_id: caller.key_id, user: readUser(headers) };
  const request = { ...subject, client, headers, cost, reply_headers };
  const onRejected = (plugin: string) =>
    deps.log("plugin_refused", { level: "debug", gateway_id: gateway.id, plugin });
  await runPlugins(deps, { gateway, request, onRejected });
}
