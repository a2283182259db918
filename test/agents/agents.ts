/** Coding agents and agent frameworks: how each runs without a terminal, and the tools that it offers. */
import { resolve } from "node:path";
import type { Dialect, ScriptedCall, ScriptedReply } from "./scripted-upstream.ts";

type ToolCall = Omit<ScriptedCall, "result">;

export interface Agent {
  package: string;
  version: string;
  /** The package is one of PyPI, and needs these requirements. */
  requirements?: string[];
  program: string;
  /** Script of the package that installs its binary; scripts do not run during the installation. */
  setup?: string;
  dialect: Dialect;
  /** Section of the guide with its settings, if it is not the name. */
  section?: string;
  /** Arguments for a run without a terminal that asks for no permission. */
  args: (prompt: string) => string[];
  /** Variables that only such a run needs. */
  env: Record<string, string>;
  /** Calls that read `file`, and run `command`. */
  read: (file: string) => ToolCall;
  shell: (command: string) => ToolCall;
  /** Finds MCP tools that are not offered at first. */
  search?: (query: string) => ToolCall;
  /** The agent has no MCP client, or none that works. */
  without_mcp?: true;
  /** Command that ends the task; other agents end it with the final text. */
  submit?: string;
  /** Replies that an agent without tools acts on, instead of calls. */
  replies?: ScriptedReply[];
}

/** Arguments of the run of a framework: a short program of its own. */
const framework = (name: string) => (prompt: string) => [
  resolve(`test/agents/frameworks/run_${name}.py`),
  prompt,
];

/** Tools that each of these programs has. */
const FRAMEWORK_TOOLS = {
  program: "python",
  dialect: "chat",
  section: "Agent frameworks",
  env: { PYTHONDONTWRITEBYTECODE: "1" },
  read: (path: string) => ({ tool: /^read_file$/, args: { path } }),
  shell: (command: string) => ({ tool: /^run_command$/, args: { command } }),
} as const;

const edit = (from: string, to: string, result: string): ScriptedReply => ({
  text: `I change it.\n\nnotes.txt\n\`\`\`\n<<<<<<< SEARCH\n${from}\n=======\n${to}\n>>>>>>> REPLACE\n\`\`\`\n`,
  result,
});

const code = (text: string, result: string): ScriptedReply => ({
  text: `Thought: I need one more fact.\n<code>\n${text}\n</code>`,
  result,
});

/** By the heading of their section in the guide, which has their settings. */
export const AGENTS = {
  "Claude Code": {
    package: "@anthropic-ai/claude-code",
    version: "2.1.328",
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
    version: "0.169.0",
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
  Continue: {
    package: "@continuedev/cli",
    version: "1.5.47",
    program: "cn",
    dialect: "chat",
    args: (prompt) => ["--auto", "-p", prompt],
    env: { CONTINUE_METRICS_ENABLED: "0", CONTINUE_TELEMETRY_ENABLED: "0" },
    read: (filepath) => ({ tool: /^Read$/, args: { filepath } }),
    shell: (command) => ({ tool: /^Bash$/, args: { command } }),
  },
  Cline: {
    package: "cline",
    version: "3.0.65",
    program: "cline",
    setup: "postinstall.mjs",
    dialect: "chat",
    args: (prompt) => [prompt],
    env: {},
    read: (path) => ({ tool: /^read_file/, args: { path } }),
    shell: (command) => ({ tool: /command|bash/, args: { command } }),
  },
  pi: {
    package: "@mariozechner/pi-coding-agent",
    version: "0.73.1",
    program: "pi",
    dialect: "chat",
    args: (prompt) => ["--print", prompt],
    env: { PI_OFFLINE: "1" },
    read: (path) => ({ tool: /^read$/, args: { path } }),
    shell: (command) => ({ tool: /^bash$/, args: { command } }),
    without_mcp: true,
  },
  aider: {
    package: "aider-chat",
    version: "0.86.2",
    requirements: [],
    program: "aider",
    dialect: "chat",
    args: (prompt) => [
      ...["--yes-always", "--no-git", "--no-check-update", "--analytics-disable", "--no-stream"],
      ...["--no-show-model-warnings", "--edit-format", "diff", "--auto-test", "--test-cmd"],
      ...["sed 's/^/AssertionError: expected green but found /' notes.txt; false"],
      ...["--message", prompt, "notes.txt"],
    ],
    env: {},
    read: () => ({ tool: /^$/, args: {} }),
    shell: () => ({ tool: /^$/, args: {} }),
    replies: [
      edit("turquoise", "violet", "but found violet"),
      edit("violet", "blue", "but found blue"),
      edit("blue", "yellow", "but found yellow"),
    ],
  },
  "mini-swe-agent": {
    package: "mini-swe-agent",
    version: "2.4.6",
    requirements: ["mcp"],
    program: "mini",
    dialect: "chat",
    args: (prompt) => ["--yolo", "--exit-immediately", "--task", prompt],
    env: {
      MSWEA_CONFIGURED: "true",
      MSWEA_COST_TRACKING: "ignore_errors",
      LITELLM_LOCAL_MODEL_COST_MAP: "true",
    },
    read: (file) => ({ tool: /^bash$/, args: { command: `cat ${file}` } }),
    shell: (command) => ({ tool: /^bash$/, args: { command } }),
    submit: "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && echo 'The task is complete.'",
    without_mcp: true,
  },
  CrewAI: {
    ...FRAMEWORK_TOOLS,
    package: "crewai",
    version: "1.15.30",
    requirements: [],
    args: framework("crewai"),
    env: {
      ...FRAMEWORK_TOOLS.env,
      CREWAI_DISABLE_TELEMETRY: "true",
      CREWAI_TRACING_ENABLED: "false",
    },
    // It takes the error that a thread has no event loop for one of the server, but offers the tools.
    without_mcp: true,
  },
  smolagents: {
    ...FRAMEWORK_TOOLS,
    package: "smolagents",
    version: "1.26.0",
    requirements: ["smolagents[openai,mcp]", "mcp[ws]<2"],
    args: framework("smolagents"),
    replies: [
      code('print(read_file("notes.txt"))', "turquoise"),
      code('print(run_command("expr 6000 + 66"))', "6066"),
      code("print(colors__find_color())", "violet"),
      code('final_answer("The task is complete.")', "no further request"),
    ],
  },
  LangChain: {
    ...FRAMEWORK_TOOLS,
    package: "langchain",
    version: "1.4.7",
    requirements: ["langchain-openai", "langchain-mcp-adapters"],
    args: framework("langchain"),
  },
  LlamaIndex: {
    ...FRAMEWORK_TOOLS,
    package: "llama-index-core",
    version: "0.14.25",
    requirements: ["llama-index-llms-openai-like", "llama-index-tools-mcp"],
    args: framework("llama_index"),
  },
  "OpenAI Agents SDK": {
    ...FRAMEWORK_TOOLS,
    package: "openai-agents",
    version: "0.24.0",
    requirements: [],
    dialect: "responses",
    args: framework("openai_agents"),
    env: { ...FRAMEWORK_TOOLS.env, OPENAI_AGENTS_DISABLE_TRACING: "1" },
  },
  "Pydantic AI": {
    ...FRAMEWORK_TOOLS,
    package: "pydantic-ai-slim",
    version: "2.68.0",
    requirements: ["pydantic-ai-slim[openai,mcp]"],
    args: framework("pydantic_ai"),
  },
} as const satisfies Record<string, Agent>;

export type AgentName = keyof typeof AGENTS;
