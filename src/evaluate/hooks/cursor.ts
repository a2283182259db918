/** Hook events of Cursor: https://cursor.com/docs/hooks */
import type { AgentHooks, HookBody, HookEvent } from "./agent-hooks.ts";

const permit = (permission: "deny" | "ask") => (reason: string) => ({
  permission,
  user_message: reason,
  agent_message: reason,
});
const deny = permit("deny");
const ask = permit("ask");

/** Cursor cannot withhold the result of its own tools, only explain it to the model. */
const explain = (additional_context: string) => ({ additional_context });

const FILE: HookEvent = { kind: "result", member: "content", tool: "Read", deny };
const TOOL_CALL = { kind: "call", member: "tool_input" } as const;

export const cursorHooks: AgentHooks = new Map<string, HookEvent>([
  [
    "beforeSubmitPrompt",
    {
      kind: "prompt",
      member: "prompt",
      deny: (user_message) => ({ continue: false, user_message }),
    },
  ],
  ["beforeShellExecution", { kind: "shell", member: "command", tool: "Shell", deny, ask }],
  ["beforeMCPExecution", { ...TOOL_CALL, deny, ask }],
  // `ask` is valid here, but Cursor opens no dialog.
  ["preToolUse", { ...TOOL_CALL, deny, replace: (json) => `{"updated_input":${json}}` }],
  ["subagentStart", { kind: "prompt", member: "task", deny }],
  ["beforeReadFile", FILE],
  ["beforeTabFileRead", FILE],
  [
    "postToolUse",
    {
      kind: "result",
      member: "tool_output",
      deny: (reason, body) =>
        isMcpTool(body) ? { updated_mcp_tool_output: toTextContent(reason) } : explain(reason),
      replace: (json, body) =>
        isMcpTool(body) ? `{"updated_mcp_tool_output":${readDocument(json)}}` : undefined,
    },
  ],
  ["postToolUseFailure", { kind: "result", member: "error_message", deny: explain }],
  ["afterShellExecution", { kind: "result", member: "output", tool: "Shell" }],
  ["afterMCPExecution", { kind: "result", member: "result_json" }],
  ["afterFileEdit", { kind: "call", member: "edits", tool: "Edit" }],
  ["afterTabFileEdit", { kind: "call", member: "edits", tool: "Edit" }],
  ["afterAgentResponse", { kind: "reply", member: "text" }],
  ["afterAgentThought", { kind: "reply", member: "text" }],
]);

const isMcpTool = ({ tool_name }: HookBody): boolean =>
  typeof tool_name === "string" && tool_name.startsWith("MCP:");

/**
 * Returns the result of a tool, which Cursor sends as JSON in a string. Any other text becomes text content: it comes from
 * the tool, and could otherwise add members to our response or make it invalid, so that Cursor ignores the mask.
 */
function readDocument(json: string): string {
  const text: unknown = JSON.parse(json);
  if (typeof text !== "string") return json;
  return isJson(text) ? text : JSON.stringify(toTextContent(text));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const toTextContent = (text: string) => ({ content: [{ type: "text", text }] });
