/** Tools of MCP servers of npm are listed with the Starter policy as they are without it. Part of `npm run test:agents`. */
import { afterAll, expect, test } from "bun:test";
import { sharedKit } from "../kit/kit.ts";
import { connectClient } from "../kit/mcp-client.ts";
import { makeMcpStore, STORE_TOOLS } from "../kit/mcp-store.ts";
import { startBridge } from "./bridge.ts";
import { MCP_SERVERS, type McpServerName } from "./mcp-servers.ts";
import { createHome } from "./run-agent.ts";
import { countFindings, type FindingCounts, listEvents, makeCollector } from "./starter.ts";

const kit = sharedKit({ settings: { PORTCULLIS_DEMO: "true" } });
const findings: FindingCounts = new Map();
const names = Object.keys(MCP_SERVERS) as McpServerName[];

test.each(names)("every tool of the MCP server %s is listed, as is the Store", async (name) => {
  const admin = await kit();
  await using folder = await createHome();
  await using bridge = await startBridge(name, folder.path);
  const store = await makeMcpStore(admin);
  const instance = await store.serve(name, bridge.url);
  await store.install("ana", instance.code);
  const { url, key } = await store.consumer([instance]);
  const collector = await makeCollector(admin);

  await using application = await connectClient(url, { "x-ag-api-key": key });
  const unguarded = await application.listed();
  await admin.put(store.path, { guard: { collector_id: collector.id } });
  await using user = await store.client("ana");
  const [listed, offered] = [await application.listed(), await user.tools()];

  const events = await listEvents(admin, collector.id);
  await countFindings(admin, { source: name, events }, findings);
  expect(unguarded).not.toEqual([]);
  expect(listed).toEqual(unguarded);
  expect(offered).toEqual([...STORE_TOOLS, ...unguarded.map((tool) => tool.name)]);
});

afterAll(() => console.table([...findings.values()]));
