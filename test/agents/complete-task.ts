/** Completes a task of at least three tool calls with an agent, through a gateway that the Starter policy guards. */
import { join } from "node:path";
import type { RequestEvent } from "../../src/contract/gateway/requests.ts";
import { makeConsumer } from "../kit/dataplane.ts";
import type { Kit } from "../kit/kit.ts";
import { startMcpServer } from "../kit/mcp-server.ts";
import { until } from "../kit/until.ts";
import { AGENTS, type Agent, type AgentName } from "./agents.ts";
import { createHome, runAgent } from "./run-agent.ts";
import { type Dialect, startScriptedUpstream } from "./scripted-upstream.ts";
import { listEvents, makeCollector } from "./starter.ts";

export const DONE = "The task is complete.";

/** The capability makes the upstream accept no other format. */
const UPSTREAMS: Record<Dialect, { provider: string; capabilities: string[] }> = {
  chat: { provider: "openai_compatible", capabilities: ["chat"] },
  responses: { provider: "openai", capabilities: ["responses"] },
  messages: { provider: "anthropic", capabilities: ["messages"] },
  gemini: { provider: "google", capabilities: ["generate_content"] },
};

export interface OfferedServer {
  name: string;
  url: string;
  auth?: { type: "header"; value: string };
}

export interface TaskOptions {
  dialect: Dialect;
  prompt?: string;
  /** Number of calls, if not all. */
  calls?: number;
  /** Content of the file that the agent reads. */
  notes?: string;
  /** MCP servers that are offered too. */
  servers?: readonly OfferedServer[];
  guarded?: boolean;
}

/** smolagents requires `properties`. */
const NO_ARGUMENTS = { type: "object" as const, properties: {} };

/** The agent reads a file, runs a command and calls an MCP tool of the consumer. */
export async function completeTask(admin: Kit, name: AgentName, task: TaskOptions) {
  const { dialect, prompt = "Complete the task.", notes = "turquoise\n" } = task;
  await using home = await createHome();
  await using mcp = startMcpServer({
    tools: [{ name: "find_color", inputSchema: NO_ARGUMENTS, call: () => ({ color: "violet" }) }],
  });
  const agent: Agent = AGENTS[name];
  const calls = listCalls(agent, home.path).slice(0, task.calls);
  await using upstream = startScriptedUpstream(dialect, {
    calls,
    replies: agent.replies,
    done: DONE,
  });
  const url = `${upstream.url}/v1`;
  const consumer = await makeConsumer(admin, [{ ...UPSTREAMS[dialect], url }]);
  const gateway = `/v1/gateways/${consumer.gateway.id}`;
  const { id: collector_id } = await makeCollector(admin);
  if (task.guarded ?? true) await admin.put(gateway, { guard: { collector_id } });
  const { registries } = await (await admin.get(consumer.path)).json();
  for (const server of [{ name: "Colors", url: mcp.url }, ...(task.servers ?? [])]) {
    const { url, ...members } = { type: "mcp", allow_private: true, ...server };
    const { id } = await admin.make(`${gateway}/registries`, {
      ...members,
      provider_options: { url },
    });
    registries.push({ id });
  }
  await admin.put(consumer.path, { registries });
  const output = await runAgent(name, home.path, {
    url: consumer.url,
    key: consumer.key,
    prompt,
    files: { "work/notes.txt": notes },
  });
  const events = await listEvents(admin, collector_id);
  const evaluated = events.filter(
    (event) => event.protocol === "llm" && event.direction === "input",
  );
  let statuses: (number | null)[] = [];
  await until(async () => {
    const reply = await admin.get(`${gateway}/requests?limit=200`);
    const { items }: { items: RequestEvent[] } = await reply.json();
    statuses = items.map(({ status }) => status);
    return statuses.length >= Math.max(evaluated.length, upstream.requests.length);
  });
  return { output, statuses, events, requests: upstream.requests };
}

function listCalls({ read, shell, search, without_mcp, submit }: Agent, home: string) {
  return [
    { ...read(join(home, "work/notes.txt")), result: "turquoise" },
    { ...shell("expr 40 + 2"), result: "42" },
    ...(search ? [{ ...search("find_color"), result: "find_color" }] : []),
    without_mcp
      ? { ...shell("printf vio && echo let"), result: "violet" }
      : { tool: /find_color$/, args: {}, result: "violet" },
    ...(submit ? [{ ...shell(submit), result: DONE }] : []),
  ];
}
