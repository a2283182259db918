/** Hook events of Codex, whose JSON resembles that of Claude Code, and its `notify` program. */
import type { AgentHooks, HookEvent } from "./agent-hooks.ts";
import { decide, denyPermission } from "./claude-code.ts";

// Codex rejects a response with members that it does not know.
const block = (reason: string) => ({ decision: "block", reason });

const TOOL_CALL = { kind: "call", member: "tool_input" } as const;

const REPLY: HookEvent = {
  kind: "reply",
  member: "last_assistant_message",
  deny: (systemMessage) => ({ systemMessage }),
};

export const codexHooks: AgentHooks = new Map<string, HookEvent>([
  ["UserPromptSubmit", { kind: "prompt", member: "prompt", deny: block }],
  [
    "PreToolUse",
    {
      ...TOOL_CALL,
      deny: (reason) => decide("deny", reason),
      // Codex requires the decision beside a new input; its approval policy still applies.
      replace: (json) =>
        `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":${json}}}`,
    },
  ],
  ["PermissionRequest", { ...TOOL_CALL, deny: denyPermission, ask: () => ({}) }],
  [
    "PostToolUse",
    {
      kind: "result",
      member: "tool_response",
      deny: block,
      // The reason replaces the result.
      replace: (json) => JSON.stringify(block(readString(json))),
    },
  ],
  ["Stop", REPLY],
  ["SubagentStop", REPLY],
  ["agent-turn-complete", { kind: "reply", member: "last-assistant-message" }],
]);

function readString(json: string): string {
  const value: unknown = json.startsWith('"') ? JSON.parse(json) : json;
  return String(value);
}
