/** Every coding agent completes a task through the gateway: `npm run test:agents`, outside the main run. */
import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { AGENTS, type Agent } from "./agents.ts";
import { installAgents } from "./install-agents.ts";
import { runAgent } from "./run-agent.ts";
import { DIALECTS, type Dialect, startScriptedUpstream } from "./scripted-upstream.ts";

const kit = sharedKit();
const outcomes = new Map<string, string>();

const PROVIDERS: Record<Dialect, string> = {
  chat: "openai_compatible",
  responses: "openai",
  messages: "anthropic",
  gemini: "google",
};

const cases = Object.entries(AGENTS).flatMap(([name, agent]) =>
  DIALECTS.map((dialect) => ({ name, agent, dialect })),
);

test.each(cases)(
  "$name completes a task with a model of the dialect $dialect",
  async ({ name, agent, dialect }) => {
    outcomes.set(`${name} ${dialect}`, "failed");
    const { output, events, requests } = await completeTask(agent, dialect);
    expect(output).toContain("The task is complete.");
    expect(events).toContain("200");
    expect(requests).toBeGreaterThan(3);
    outcomes.set(`${name} ${dialect}`, "passed");
  },
);

async function completeTask(agent: Agent, dialect: Dialect) {
  const admin = await kit();
  const home = await mkdtemp(join(tmpdir(), "portcullis-agent-"));
  await using _ = { [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }) };
  await using mcp = startMcpServer({
    tools: [{ name: "find_color", call: () => ({ color: "violet" }) }],
  });
  const folder = await installAgents();
  const calls = [
    { ...agent.read(join(home, "work/notes.txt")), result: "turquoise" },
    { ...agent.shell("echo $((6 * 7))"), result: "42" },
    { tool: /find_color$/, args: {}, result: "violet" },
  ];
  await using upstream = startScriptedUpstream(dialect, calls, "The task is complete.");
  const consumer = await makeConsumer(admin, [
    { provider: PROVIDERS[dialect], url: `${upstream.url}/v1` },
  ]);
  const gateway = `/v1/gateways/${consumer.gateway.id}`;
  const tools = await admin.make(`${gateway}/registries`, {
    name: "Colors",
    type: "mcp",
    provider_options: { url: mcp.url },
    allow_private: true,
  });
  const { registries } = await (await admin.get(consumer.path)).json();
  await admin.put(consumer.path, { registries: [...registries, { id: tools.id }] });
  const run = {
    url: consumer.url,
    key: consumer.key,
    model: "scripted",
    prompt: "Complete the task.",
    home,
  };
  const output = await runAgent(agent, folder, run, { "work/notes.txt": "turquoise\n" });
  const { items } = await (await admin.get(`${gateway}/requests`)).json();
  const events = items.map(({ status }: { status: number }) => `${status}`);
  const requests = upstream.requests.length;
  return { output, events, requests };
}

afterAll(() => {
  const rows = Object.keys(AGENTS).map((name) => [
    name,
    Object.fromEntries(DIALECTS.map((each) => [each, outcomes.get(`${name} ${each}`) ?? ""])),
  ]);
  console.table(Object.fromEntries(rows));
});
