/** The guide names the clients and servers that `npm run test:agents` runs. */

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { AGENTS } from "../agents/agents.ts";
import { MCP_SERVERS } from "../agents/mcp-servers.ts";

test("the guide lists every tested client and MCP server with its version", () => {
  const guide = readFileSync("docs/guides/coding-agents.md", "utf8");
  const rows = Object.entries({ ...AGENTS, ...MCP_SERVERS }).map(
    ([name, client]) => `| ${name} | ${client.package} | ${client.version} |`,
  );

  expect([...(guide.match(/^\| .+ \| [\d.]+ \|$/gm) ?? [])]).toEqual(rows);
});
