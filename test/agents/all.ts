/** Every coding agent completes a task through the gateway: `npm run test:agents`, outside the main run. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { RequestEvent } from "../../src/contract/gateway/requests.ts";
import { makeConsumer } from "../kit/dataplane.ts";
import { sharedKit } from "../kit/kit.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { until } from "../kit/until.ts";
import { AGENTS, type Agent, type AgentName } from "./agents.ts";
import { createHome, runAgent } from "./run-agent.ts";
import { DIALECTS, type Dialect, startScriptedUpstream } from "./scripted-upstream.ts";

const kit = sharedKit();
const DONE = "The task is complete.";

/** The capability makes the upstream accept no other format. */
const UPSTREAMS: Record<Dialect, { provider: string; capabilities: string[] }> = {
  chat: { provider: "openai_compatible", capabilities: ["chat"] },
  responses: { provider: "openai", capabilities: ["responses"] },
  messages: { provider: "anthropic", capabilities: ["messages"] },
  gemini: { provider: "google", capabilities: ["generate_content"] },
};

const names = Object.keys(AGENTS) as AgentName[];
const outcomes = Object.fromEntries(names.map((name) => [name, {}])) as Record<
  AgentName,
  Partial<Record<Dialect, string>>
>;
const cases = names.flatMap((name) => DIALECTS.map((dialect) => ({ name, dialect })));

test.each(cases)(
  "$name completes a task with a model of the dialect $dialect",
  async ({ name, dialect }) => {
    outcomes[name][dialect] = "failed";
    const { output, statuses } = await completeTask(name, dialect);
    expect(output).toContain(DONE);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    // Three tool calls and the final text.
    expect(statuses.length).toBeGreaterThanOrEqual(4);
    outcomes[name][dialect] = "passed";
  },
);

/** The agent reads a file, runs a command and calls an MCP tool of the consumer. */
async function completeTask(name: AgentName, dialect: Dialect) {
  const admin = await kit();
  await using home = await createHome();
  await using mcp = startMcpServer({
    tools: [{ name: "find_color", call: () => ({ color: "violet" }) }],
  });
  const { read, shell, search }: Agent = AGENTS[name];
  const calls = [
    { ...read(join(home.path, "work/notes.txt")), result: "turquoise" },
    { ...shell("expr 40 + 2"), result: "42" },
    ...(search ? [{ ...search("find_color"), result: "find_color" }] : []),
    { tool: /find_color$/, args: {}, result: "violet" },
  ];
  await using upstream = startScriptedUpstream(dialect, calls, DONE);
  const url = `${upstream.url}/v1`;
  const consumer = await makeConsumer(admin, [{ ...UPSTREAMS[dialect], url }]);
  const gateway = `/v1/gateways/${consumer.gateway.id}`;
  const tools = await admin.make(`${gateway}/registries`, {
    name: "Colors",
    type: "mcp",
    provider_options: { url: mcp.url },
    allow_private: true,
  });
  const { registries } = await (await admin.get(consumer.path)).json();
  await admin.put(consumer.path, { registries: [...registries, { id: tools.id }] });
  const output = await runAgent(name, home.path, {
    url: consumer.url,
    key: consumer.key,
    prompt: "Complete the task.",
    files: { "work/notes.txt": "turquoise\n" },
  });
  let statuses: (number | null)[] = [];
  await until(async () => {
    const reply = await admin.get(`${gateway}/requests?limit=200`);
    const { items }: { items: RequestEvent[] } = await reply.json();
    statuses = items.map(({ status }) => status);
    return statuses.length >= upstream.requests.length;
  });
  return { output, statuses };
}

afterAll(() => console.table(outcomes, [...DIALECTS]));
