/** Every system prompt, template and tool definition of the agents, one by one, passes the Starter policy. Part of `npm run test:agents`. */
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Verdict } from "../../src/contract/guard/evaluate.ts";
import { sharedKit } from "../kit/kit.ts";
import { AGENTS, type Agent, type AgentName } from "./agents.ts";
import { extractTexts } from "./extract-texts.ts";
import { installAgent } from "./run-agent.ts";
import { makeCollector } from "./starter.ts";

const kit = sharedKit({ settings: { PORTCULLIS_DEMO: "true" } });

/** Folders of the texts, if they are not in packages with the name of the agent. */
const FOLDERS: Partial<Record<AgentName, string>> = {
  Cline: "@cline",
  aider: "aider",
  "mini-swe-agent": "minisweagent",
  CrewAI: "crewai",
  smolagents: "smolagents",
  LangChain: "langchain",
  LlamaIndex: "llama_index",
  "OpenAI Agents SDK": "agents",
  "Pydantic AI": "pydantic_ai",
};
/** Agents that send their templates as messages of the user, with the beginning of their system prompt. */
const IN_USER_MESSAGES: Partial<Record<AgentName, string>> = {
  aider: "Act as an expert software developer.",
  "mini-swe-agent": "",
  CrewAI: "",
};

const hello = { role: "user", content: "Hello" };
const PLACES = {
  system: (text: string) => ({ messages: [{ role: "system", content: text }, hello] }),
  tool: (text: string) => ({
    messages: [hello],
    tools: [{ type: "function", function: { name: "run", description: text } }],
  }),
  user: (text: string, agent: AgentName) => ({
    messages: [
      { role: "system", content: IN_USER_MESSAGES[agent] },
      { role: "user", content: text },
    ],
  }),
};
type Position = keyof typeof PLACES;

const counts: Record<string, unknown>[] = [];
const findings: Record<string, unknown>[] = [];

test.each(Object.keys(AGENTS) as AgentName[])("no text of %s is blocked", async (name) => {
  const { package: id, requirements }: Agent = AGENTS[name];
  const programs = await installAgent(name);
  const modules = join(programs, requirements ? "../lib/python3.11/site-packages" : "..");
  const folder = FOLDERS[name] ?? id.replace(/\/.*|-ai$/, "");
  const texts = extractTexts(modules, [`${folder}/**`, `${folder}-*/**`]);
  const places: Position[] = ["system", "tool"];
  if (name in IN_USER_MESSAGES) places.push("user");
  const blocked = (await Promise.all(places.map((place) => evaluate(name, place, texts)))).flat();
  expect(texts).not.toEqual([]);
  expect(blocked).toEqual([]);
});

/** Returns the texts that are blocked. */
async function evaluate(agent: AgentName, place: Position, texts: readonly string[]) {
  const admin = await kit();
  const { key } = await makeCollector(admin);
  const headers = { authorization: `Bearer ${key}` };
  const statuses: Record<string, number> = {};
  const blocked: string[] = [];
  for (let from = 0; from < texts.length; from += 50) {
    const part = texts.slice(from, from + 50);
    const body = part.map((text) => ({ payload: PLACES[place](text, agent) }));
    const reply = await admin.post("/v1/evaluate/batch", body, headers);
    const verdicts: Verdict[] = await reply.json();
    for (const [at, verdict] of verdicts.entries()) {
      statuses[verdict.status] = (statuses[verdict.status] ?? 0) + 1;
      const text = JSON.stringify(part[at]?.slice(0, 80));
      if (verdict.status === "block" || verdict.status === "ask") blocked.push(text);
      for (const { signal, outcome } of verdict.findings) {
        const { type, confidence: score } = signal;
        findings.push({ agent, place, action: outcome.action, type, score, text });
      }
    }
  }
  counts.push({ agent, place, texts: texts.length, ...statuses });
  return blocked;
}

afterAll(() => {
  console.table(counts);
  console.table(findings.filter(({ action, type }) => action !== "report" || type !== "pii"));
});
