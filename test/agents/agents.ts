/** The coding agents, as npm has them: how each runs without a terminal, and the tools that it offers. */
import type { Dialect, ScriptedCall } from "./scripted-upstream.ts";

export interface Agent {
  package: string;
  version: string;
  program: string;
  /** Script of the package that installs its binary; scripts do not run during the installation. */
  setup?: string;
  dialect: Dialect;
  /** Arguments for a run without a terminal that asks for no permission. */
  args: (prompt: string) => string[];
  /** Variables that only such a run needs. */
  env: Record<string, string>;
  /** Calls that read `file`, and run `command`. */
  read: (file: string) => Omit<ScriptedCall, "result">;
  shell: (command: string) => Omit<ScriptedCall, "result">;
  /** Finds MCP tools that are not offered at first. */
  search?: (query: string) => Omit<ScriptedCall, "result">;
}

/** By the heading of their section in the guide, which has their settings. */
export const AGENTS = {
  "Claude Code": {
    package: "@anthropic-ai/claude-code",
    version: "2.1.325",
    program: "claude",
    setup: "install.cjs",
    dialect: "messages",
    args: (prompt) => ["-p", prompt, "--allowedTools", "Read,Bash,mcp__portcullis"],
    env: {},
    read: (file_path) => ({ tool: /^Read$/, args: { file_path } }),
    shell: (command) => ({ tool: /^Bash$/, args: { command, description: "Test" } }),
    search: (query) => ({ tool: /^ToolSearch$/, args: { query, max_results: 5 } }),
  },
  "Codex CLI": {
    package: "@openai/codex",
    version: "0.166.0",
    program: "codex",
    dialect: "responses",
    args: (prompt) => [
      ...["exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"],
      ...["--dangerously-bypass-approvals-and-sandbox", prompt],
    ],
    env: {},
    // Codex has no tool that reads files.
    read: (file) => ({ tool: /^exec_command$/, args: { cmd: `cat ${file}` } }),
    shell: (cmd) => ({ tool: /^exec_command$/, args: { cmd } }),
    search: (query) => ({ tool: /^tool_search$/, args: { query } }),
  },
  OpenCode: {
    package: "opencode-ai",
    version: "1.18.33",
    program: "opencode",
    setup: "postinstall.mjs",
    dialect: "chat",
    args: (prompt) => ["run", prompt],
    env: { OPENCODE_DISABLE_MODELS_FETCH: "true", OPENCODE_DISABLE_AUTOUPDATE: "true" },
    read: (filePath) => ({ tool: /^read$/, args: { filePath } }),
    shell: (command) => ({ tool: /^bash$/, args: { command, description: "Test" } }),
  },
  "Gemini CLI": {
    package: "@google/gemini-cli",
    version: "0.61.0",
    program: "gemini",
    dialect: "gemini",
    args: (prompt) => ["--yolo", "--prompt", prompt],
    env: { GEMINI_CLI_TRUST_WORKSPACE: "true" },
    read: (file_path) => ({ tool: /^read_file$/, args: { file_path } }),
    shell: (command) => ({ tool: /^run_shell_command$/, args: { command } }),
  },
  "Qwen Code": {
    package: "@qwen-code/qwen-code",
    version: "0.24.4",
    program: "qwen",
    dialect: "chat",
    args: (prompt) => ["--yolo", "--prompt", prompt],
    env: {},
    read: (file_path) => ({ tool: /^read_file$/, args: { file_path } }),
    shell: (command) => ({
      tool: /^run_shell_command$/,
      args: { command, is_background: false },
    }),
  },
} as const satisfies Record<string, Agent>;

export type AgentName = keyof typeof AGENTS;
