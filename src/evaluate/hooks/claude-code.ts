/** Hook events of Claude Code: https://code.claude.com/docs/en/hooks */
import type { AgentHooks, HookEvent } from "./agent-hooks.ts";

const PROMPT = { kind: "prompt", member: "prompt" } as const;
const TOOL_CALL = { kind: "call", member: "tool_input" } as const;

/** The reply is on the screen already. `decision: block` would make the agent continue. */
const REPLY: HookEvent = {
  kind: "reply",
  member: "last_assistant_message",
  deny: (systemMessage) => ({ systemMessage }),
};

export const claudeCodeHooks: AgentHooks = new Map<string, HookEvent>([
  ["UserPromptSubmit", { ...PROMPT, deny: blockPrompt("UserPromptSubmit") }],
  ["UserPromptExpansion", { ...PROMPT, deny: blockPrompt("UserPromptExpansion") }],
  [
    "PreToolUse",
    {
      ...TOOL_CALL,
      deny: (reason) => decide("deny", reason),
      ask: (reason) => decide("ask", reason),
      // Without a decision, the permission rules of the user apply to the new input.
      replace: (json) =>
        `{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":${json}}}`,
    },
  ],
  // An empty response leaves the dialog open that this event announces.
  ["PermissionRequest", { ...TOOL_CALL, deny: denyPermission, ask: () => ({}) }],
  [
    "PostToolUse",
    {
      kind: "result",
      member: "tool_response",
      // The reason alone would be shown beside the result.
      deny: (reason, { tool_response }) => ({
        decision: "block",
        reason,
        hookSpecificOutput: {
          hookEventName: "PostToolUse",
          updatedToolOutput: withhold(tool_response),
        },
      }),
      replace: (json) =>
        `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":${json}}}`,
    },
  ],
  [
    "PostToolUseFailure",
    { kind: "result", member: "error", deny: (systemMessage) => ({ systemMessage }) },
  ],
  ["Stop", REPLY],
  ["SubagentStop", REPLY],
]);

function blockPrompt(hookEventName: string) {
  return (reason: string) => ({
    decision: "block",
    reason,
    hookSpecificOutput: { hookEventName, suppressOriginalPrompt: true },
  });
}

export const decide = (permissionDecision: "deny" | "ask", permissionDecisionReason: string) => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision,
    permissionDecisionReason,
  },
});

export function denyPermission(message: string): object {
  const decision = { behavior: "deny", message };
  return { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
}

/** Empties a tool result. Claude Code ignores a replacement that has another shape than the result of the tool. */
function withhold(value: unknown, name = ""): unknown {
  if (typeof value === "string") return isVariant(name, value) ? value : "";
  if (typeof value === "number") return 0;
  if (Array.isArray(value)) return [];
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value);
  return Object.fromEntries(members.map(([member, each]) => [member, withhold(each, member)]));
}

/** Returns whether a member selects the variant of a result, such as `"type": "text"`. */
const isVariant = (name: string, value: string): boolean =>
  /^(type|mode|status)$/.test(name) && /^[a-z_]{1,24}$/.test(value);
