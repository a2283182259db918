/** Test MCP servers in a process of their own: `bun bench/mcp-upstreams.ts 20` prints where they listen. */
import { startMcpServer } from "../test/kit/mcp-server.ts";

const TOOLS = 10;
const tools = Array.from({ length: TOOLS }, (_, index) => ({
  name: `tool_${index}`,
  description: "Looks up an item by name and returns its details. ".repeat(3),
  inputSchema: {
    type: "object" as const,
    properties: { name: { type: "string" }, most: { type: "integer" } },
  },
}));

const count = Number(process.argv[2] ?? 1);
console.log(JSON.stringify(Array.from({ length: count }, () => startMcpServer({ tools }).url)));
