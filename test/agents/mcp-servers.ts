/** MCP servers of npm, which run without their service: each lists its tools with a key that is not checked. */
import { join } from "node:path";
import { installFromNpm } from "../kit/install-from-npm.ts";

export interface McpServer {
  package: string;
  version: string;
  program: string;
  /** The folder is one for their files. */
  args?: (folder: string) => string[];
  env?: Record<string, string>;
}

const OFFICIAL = "2026.8.31";

export const MCP_SERVERS = {
  Everything: {
    package: "@modelcontextprotocol/server-everything",
    version: OFFICIAL,
    program: "mcp-server-everything",
  },
  Filesystem: {
    package: "@modelcontextprotocol/server-filesystem",
    version: OFFICIAL,
    program: "mcp-server-filesystem",
    args: (folder) => [folder],
  },
  Memory: {
    package: "@modelcontextprotocol/server-memory",
    version: OFFICIAL,
    program: "mcp-server-memory",
  },
  Thinking: {
    package: "@modelcontextprotocol/server-sequential-thinking",
    version: OFFICIAL,
    program: "mcp-server-sequential-thinking",
  },
  Notion: {
    package: "@notionhq/notion-mcp-server",
    version: "2.5.2",
    program: "notion-mcp-server",
    env: { NOTION_TOKEN: "none" },
  },
  Firecrawl: {
    package: "firecrawl-mcp",
    version: "3.26.0",
    program: "firecrawl-mcp",
    env: { FIRECRAWL_API_KEY: "none" },
  },
  Context7: { package: "@upstash/context7-mcp", version: "4.1.1", program: "context7-mcp" },
  Playwright: { package: "@playwright/mcp", version: "0.0.83", program: "playwright-mcp" },
  Sentry: {
    package: "@sentry/mcp-server",
    version: "0.39.0",
    program: "sentry-mcp",
    args: () => ["--access-token=none"],
  },
  Tavily: {
    package: "tavily-mcp",
    version: "0.2.22",
    program: "tavily-mcp",
    env: { TAVILY_API_KEY: "none" },
  },
  Brave: {
    package: "@brave/brave-search-mcp-server",
    version: "2.1.4",
    program: "brave-search-mcp-server",
    args: () => ["--transport", "stdio"],
    env: { BRAVE_API_KEY: "none" },
  },
} as const satisfies Record<string, McpServer>;

export type McpServerName = keyof typeof MCP_SERVERS;

/** Returns the folder of its program. Each has its own, because some need other versions of a package than others. */
export async function installMcpServer(name: McpServerName): Promise<string> {
  const { package: id, version } = MCP_SERVERS[name];
  const folder = await installFromNpm(`mcp-servers/${name.toLowerCase()}`, { [id]: version });
  return join(folder, "node_modules/.bin");
}
