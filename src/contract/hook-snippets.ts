/** Settings that make coding agents send their hooks to a collector. The key is read from PORTCULLIS_COLLECTOR_KEY. */
import type { HookAgent } from "./hook-agents.ts";

export interface HookTarget {
  /** Address of the server, without a slash at the end. */
  url: string;
  /** Whether an action continues when the server cannot be reached. */
  fail_mode: "open" | "closed";
}

/** File of the settings, and its content. */
export function hookSnippet(
  agent: HookAgent,
  target: HookTarget,
): { path: string; content: string } {
  const { path, settings } = SNIPPETS[agent](target);
  const json = JSON.stringify(settings, null, 2);
  // Cursor removes everything after two slashes as a comment, also inside strings.
  return { path, content: agent === "cursor" ? json.replaceAll("//", "\\/\\/") : json };
}

const TIMEOUT_S = 10;

const SNIPPETS: Record<HookAgent, (target: HookTarget) => { path: string; settings: object }> = {
  "claude-code": ({ url, fail_mode }) => {
    const hook = {
      type: "http",
      url: `${url}/v1/hooks/claude-code`,
      timeout: TIMEOUT_S,
      headers: { Authorization: "Bearer $PORTCULLIS_COLLECTOR_KEY", "X-User-Id": "$USER" },
      allowedEnvVars: ["PORTCULLIS_COLLECTOR_KEY", "USER"],
      ...(fail_mode === "closed" && { onFailure: "block" }),
    };
    const events = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"];
    return {
      path: "~/.claude/settings.json",
      settings: { hooks: byEvent(events, { hooks: [hook] }) },
    };
  },
  codex: ({ url, fail_mode }) => {
    // Codex ignores exit codes other than 2.
    const command = `${postCommand("codex", url)}${fail_mode === "closed" ? " || exit 2" : ""}`;
    const events = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"];
    const hook = { type: "command", command, timeout: TIMEOUT_S };
    return {
      path: "~/.codex/hooks.json",
      settings: { hooks: byEvent(events, { hooks: [hook] }) },
    };
  },
  cursor: ({ url, fail_mode }) => {
    const hook = {
      command: postCommand("cursor", url),
      timeout: TIMEOUT_S,
      ...(fail_mode === "closed" && { failClosed: true }),
    };
    const events = ["beforeSubmitPrompt", "beforeShellExecution", "beforeMCPExecution"];
    return {
      path: "~/.cursor/hooks.json",
      settings: {
        version: 1,
        hooks: {
          ...byEvent([...events, "beforeReadFile", "postToolUse", "afterAgentResponse"], hook),
          // Shell commands and MCP tools have events of their own.
          preToolUse: [{ matcher: "^(Write|Delete|Task)$", ...hook }],
        },
      },
    };
  },
};

const byEvent = (events: readonly string[], entry: object): Record<string, object[]> =>
  Object.fromEntries(events.map((event) => [event, [entry]]));

/** Sends the standard input, and prints the response; fails on an error status. */
const postCommand = (agent: HookAgent, url: string): string =>
  [
    `curl -sSf -m ${TIMEOUT_S} --json @-`,
    '-H "Authorization: Bearer $PORTCULLIS_COLLECTOR_KEY" -H "X-User-Id: $USER"',
    `${url}/v1/hooks/${agent}`,
  ].join(" ");
