/** Lists the hook events of every agent. */
import type { HookAgent } from "../../contract/guard/hook-agents.ts";
import type { AgentHooks, HookBody, HookEvent } from "./agent-hooks.ts";
import { claudeCodeHooks } from "./claude-code.ts";
import { codexHooks } from "./codex.ts";
import { cursorHooks } from "./cursor.ts";

const HOOKS: Record<HookAgent, AgentHooks> = {
  "claude-code": claudeCodeHooks,
  cursor: cursorHooks,
  codex: codexHooks,
};

/** A hook as its agent sent it. Can be cloned into a worker. */
export interface ReceivedHook {
  agent: HookAgent;
  /** Name of the event. */
  name: string;
  body: HookBody;
}

/** Returns undefined for events that only have to be recorded, such as the start of a session. */
export const findHookEvent = ({ agent, name }: ReceivedHook): HookEvent | undefined =>
  HOOKS[agent].get(name);
