/** The coding agents, as npm has them: how each is configured for the gateway, and the tools that it offers. */
import type { Dialect, ScriptedCall } from "./scripted-upstream.ts";

/** Addresses and keys of one run. */
export interface AgentRun {
  /** Address of the consumer: the gateway with the consumer's slug. */
  url: string;
  key: string;
  model: string;
  prompt: string;
  /** Home folder of the agent; it works in `work` below it. */
  home: string;
}

export interface Agent {
  package: string;
  version: string;
  program: string;
  dialect: Dialect;
  args: (run: AgentRun) => string[];
  env: (run: AgentRun) => Record<string, string>;
  /** Configuration files by their path below the home folder. */
  files: (run: AgentRun) => Record<string, unknown>;
  /** Calls that read `file`, and run `command`. */
  read: (file: string) => Omit<ScriptedCall, "result">;
  shell: (command: string) => Omit<ScriptedCall, "result">;
}

const bearer = (key: string) => ({ Authorization: `Bearer ${key}` });

export const AGENTS: Record<string, Agent> = {
  "Claude Code": {
    package: "@anthropic-ai/claude-code",
    version: "2.1.325",
    program: "claude",
    dialect: "messages",
    args: ({ prompt, home }) => [
      ...["-p", prompt, "--mcp-config", `${home}/.mcp.json`],
      ...["--allowedTools", "Read,Bash,mcp__portcullis"],
    ],
    env: ({ url, key, model }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: key,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      ENABLE_TOOL_SEARCH: "false",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    }),
    files: ({ url, key }) => ({
      ".mcp.json": {
        mcpServers: { portcullis: { type: "http", url: `${url}/mcp`, headers: bearer(key) } },
      },
    }),
    read: (file_path) => ({ tool: /^Read$/, args: { file_path } }),
    shell: (command) => ({ tool: /^Bash$/, args: { command, description: "Test" } }),
  },
  "Codex CLI": {
    package: "@openai/codex",
    version: "0.166.0",
    program: "codex",
    dialect: "responses",
    args: ({ prompt }) => [
      ...["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt],
    ],
    env: ({ key }) => ({ PORTCULLIS_API_KEY: key }),
    files: ({ url, model }) => ({
      ".codex/config.toml": `
model = "${model}"
model_provider = "portcullis"

[model_providers.portcullis]
name = "Portcullis"
base_url = "${url}/v1"
env_key = "PORTCULLIS_API_KEY"
wire_api = "responses"

[mcp_servers.portcullis]
url = "${url}/mcp"
bearer_token_env_var = "PORTCULLIS_API_KEY"
`,
    }),
    // Codex has no tool that reads files.
    read: (file) => ({ tool: /^(exec_command|shell_command)$/, args: { cmd: `cat ${file}` } }),
    shell: (cmd) => ({ tool: /^(exec_command|shell_command)$/, args: { cmd } }),
  },
  OpenCode: {
    package: "opencode-ai",
    version: "1.18.33",
    program: "opencode",
    dialect: "chat",
    args: ({ prompt, model }) => ["run", "--model", `portcullis/${model}`, prompt],
    env: ({ key }) => ({ PORTCULLIS_API_KEY: key, OPENCODE_DISABLE_MODELS_FETCH: "true" }),
    files: ({ url, model }) => ({
      ".config/opencode/opencode.json": {
        provider: {
          portcullis: {
            npm: "@ai-sdk/openai-compatible",
            name: "Portcullis",
            options: { baseURL: `${url}/v1`, apiKey: "{env:PORTCULLIS_API_KEY}" },
            models: { [model]: { name: model } },
          },
        },
        mcp: {
          portcullis: {
            type: "remote",
            url: `${url}/mcp`,
            headers: { Authorization: "Bearer {env:PORTCULLIS_API_KEY}" },
          },
        },
        autoupdate: false,
      },
    }),
    read: (filePath) => ({ tool: /^read$/, args: { filePath } }),
    shell: (command) => ({ tool: /^bash$/, args: { command, description: "Test" } }),
  },
  "Gemini CLI": {
    package: "@google/gemini-cli",
    version: "0.61.0",
    program: "gemini",
    dialect: "gemini",
    args: ({ prompt, model }) => ["--yolo", "--model", model, "--prompt", prompt],
    env: ({ url, key }) => ({
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_API_KEY: key,
      GEMINI_CLI_TRUST_WORKSPACE: "true",
    }),
    files: ({ url, key }) => ({
      ".gemini/settings.json": {
        security: { auth: { selectedType: "gemini-api-key" } },
        mcpServers: { portcullis: { httpUrl: `${url}/mcp`, headers: bearer(key) } },
      },
    }),
    read: (file_path) => ({ tool: /^read_file$/, args: { file_path } }),
    shell: (command) => ({ tool: /^run_shell_command$/, args: { command } }),
  },
  "Qwen Code": {
    package: "@qwen-code/qwen-code",
    version: "0.24.4",
    program: "qwen",
    dialect: "chat",
    args: ({ prompt }) => ["--yolo", "--prompt", prompt],
    env: ({ url, key, model }) => ({
      OPENAI_BASE_URL: `${url}/v1`,
      OPENAI_API_KEY: key,
      OPENAI_MODEL: model,
    }),
    files: ({ url, key }) => ({
      ".qwen/settings.json": {
        security: { auth: { selectedType: "openai" } },
        tools: { toolSearch: { enabled: false } },
        mcpServers: { portcullis: { httpUrl: `${url}/mcp`, headers: bearer(key) } },
      },
    }),
    read: (file_path) => ({ tool: /^read_file$/, args: { file_path } }),
    shell: (command) => ({
      tool: /^run_shell_command$/,
      args: { command, is_background: false },
    }),
  },
};
