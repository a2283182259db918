/** Settings that make coding agents send their hooks to a collector. The key is read from PORTCULLIS_COLLECTOR_KEY. */
import { shellQuote } from "../../lib/text/shell-quote.ts";
import type { HookAgent } from "./hook-agents.ts";

export interface HookTarget {
  /** Address of the server, without a slash at the end. */
  url: string;
  /** Whether an action continues when the server cannot be reached. */
  fail_mode: "open" | "closed";
}

/** File of the settings, and its content: one line for each event. */
export function hookSnippet(
  agent: HookAgent,
  target: HookTarget,
): { path: string; content: string } {
  const { path, events, version } = SNIPPETS[agent](target);
  const lines = Object.entries(events).map(
    ([event, entry]) => `    ${JSON.stringify(event)}: [${JSON.stringify(entry)}]`,
  );
  const head = version === undefined ? "" : `  "version": ${version},\n`;
  const json = `{\n${head}  "hooks": {\n${lines.join(",\n")}\n  }\n}`;
  // Cursor removes everything after two slashes as a comment, also inside strings.
  return { path, content: agent === "cursor" ? json.replaceAll("//", "\\/\\/") : json };
}

/** Caps a request. The agent waits longer, so that the command can report its failure. */
const REQUEST_S = 10;
const HOOK_S = 15;

interface Snippet {
  path: string;
  /** Entries by event. */
  events: Record<string, object>;
  version?: number;
}

const SNIPPETS: Record<HookAgent, (target: HookTarget) => Snippet> = {
  "claude-code": ({ url, fail_mode }) => {
    const hook = {
      type: "http",
      url: `${url}/v1/hooks/claude-code`,
      timeout: HOOK_S,
      headers: { Authorization: "Bearer $PORTCULLIS_COLLECTOR_KEY", "X-User-Id": "$USER" },
      allowedEnvVars: ["PORTCULLIS_COLLECTOR_KEY", "USER"],
      ...(fail_mode === "closed" && { onFailure: "block" }),
    };
    return { path: "~/.claude/settings.json", events: byEvent(EVENTS, { hooks: [hook] }) };
  },
  codex: ({ url, fail_mode }) => {
    // Codex ignores exit codes other than 2.
    const command = `${postCommand("codex", url)}${fail_mode === "closed" ? " || exit 2" : ""}`;
    const hook = { type: "command", command, timeout: HOOK_S };
    return { path: "~/.codex/hooks.json", events: byEvent(EVENTS, { hooks: [hook] }) };
  },
  cursor: ({ url, fail_mode }) => {
    const hook = {
      command: postCommand("cursor", url),
      timeout: HOOK_S,
      ...(fail_mode === "closed" && { failClosed: true }),
    };
    return {
      path: "~/.cursor/hooks.json",
      version: 1,
      events: {
        ...byEvent(CURSOR_EVENTS, hook),
        // Shell commands and MCP tools have events of their own.
        preToolUse: { matcher: "^(Write|Delete|Task)$", ...hook },
      },
    };
  },
};

/** Of Claude Code and Codex. */
const EVENTS = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop"];
const CURSOR_EVENTS = [
  "beforeSubmitPrompt",
  "beforeShellExecution",
  "beforeMCPExecution",
  "beforeReadFile",
  "postToolUse",
  "afterAgentResponse",
];

const byEvent = (events: readonly string[], entry: object): Record<string, object> =>
  Object.fromEntries(events.map((event) => [event, entry]));

/** Sends the standard input, and prints the response; fails on an error status. */
const postCommand = (agent: HookAgent, url: string): string =>
  [
    `curl -sSf -m ${REQUEST_S} --data-binary @- -H "Content-Type: application/json"`,
    '-H "Authorization: Bearer $PORTCULLIS_COLLECTOR_KEY" -H "X-User-Id: $USER"',
    shellQuote(`${url}/v1/hooks/${agent}`),
  ].join(" ");
