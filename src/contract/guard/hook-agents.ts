/** Coding agents whose hooks are evaluated. */

/** By the last step of the path, with the name that people use. */
export const HOOK_AGENTS = {
  "claude-code": "Claude Code",
  cursor: "Cursor",
  codex: "Codex",
} as const;
export type HookAgent = keyof typeof HOOK_AGENTS;

export const isHookAgent = (format: string): format is HookAgent =>
  Object.hasOwn(HOOK_AGENTS, format);

export const hookAgents: readonly HookAgent[] = Object.keys(HOOK_AGENTS).filter(isHookAgent);
