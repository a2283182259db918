/** Starts the MCP servers of npm, and our own Store as one more. */
import type { Kit } from "../kit/kit.ts";
import { makeMcpStore } from "../kit/mcp-store.ts";
import { startBridge } from "./bridge.ts";
import type { OfferedServer } from "./complete-task.ts";
import { MCP_SERVERS, type McpServerName } from "./mcp-servers.ts";
import { createHome } from "./run-agent.ts";

export interface McpServers extends AsyncDisposable {
  servers: OfferedServer[];
}

export async function startServers(admin: Kit): Promise<McpServers> {
  const started = new AsyncDisposableStack();
  const folder = started.use(await createHome());
  const servers: OfferedServer[] = [];
  for (const name of Object.keys(MCP_SERVERS) as McpServerName[]) {
    const { url } = started.use(await startBridge(name, folder.path));
    servers.push({ name, url });
  }
  const store = await makeMcpStore(admin);
  const value = `Bearer ${await store.token("ana")}`;
  servers.push({ name: "Company", url: store.url, auth: { type: "header", value } });
  return { servers, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() };
}
