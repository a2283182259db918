/** Endpoints for the hooks of coding agents: the agent's own JSON in, its own JSON out. */
import { z } from "zod";
import { endpoint } from "../endpoint.ts";
import { OpenObject } from "./evaluate.ts";
import { HOOK_AGENTS, type HookAgent, hookAgents } from "./hook-agents.ts";

const hookEndpoint = (agent: HookAgent) =>
  endpoint({
    name: `evaluate_${agent.replace("-", "_")}_hook`,
    method: "POST",
    path: `/v1/hooks/${agent}`,
    plane: "guard",
    auth: "collector",
    summary: `Evaluate a hook event of ${HOOK_AGENTS[agent]}; \`X-User-Id\` names the user`,
    body: OpenObject.describe("JSON that the agent writes to the standard input of a hook."),
    reply: z
      .record(z.string(), z.unknown())
      .describe("JSON that the agent reads from a hook; `{}` does not intervene."),
    writes: false,
  });

export const hookEndpoints = hookAgents.map((agent) => ({ agent, endpoint: hookEndpoint(agent) }));
