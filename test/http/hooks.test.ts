/** Hooks of coding agents: the agent's own JSON in, its own JSON out. */
import { expect, test } from "bun:test";
import type { HookAgent } from "../../src/contract/guard/hook-agents.ts";
import { makeGuard, makeGuardWithRules, type TestGuard } from "../kit/guard.ts";
import { sharedKit } from "../kit/kit.ts";

const kit = sharedKit();
const CARD = "4111 1111 1111 1111";
const MASKED = "[MASKED_CC]";

/** Sends an event as the agent does, with the members that every event of it has. */
const sendHook = (guard: TestGuard, agent: HookAgent, event: object, headers = {}) =>
  guard.send({ ...COMMON[agent], ...event }, headers, `/v1/hooks/${agent}`);

const COMMON = {
  "claude-code": {
    session_id: "98e5f510",
    transcript_path: "/home/ana/.claude/projects/web/98e5f510.jsonl",
    cwd: "/home/ana/web",
    prompt_id: "58d7dd8b",
    permission_mode: "default",
  },
  codex: {
    session_id: "019c5a10",
    turn_id: "3",
    transcript_path: null,
    cwd: "/home/ana/web",
    model: "gpt-5.4",
    permission_mode: "default",
  },
  cursor: {
    conversation_id: "5b0d6c1e",
    generation_id: "f2a9c0d4",
    model: "composer-2.5",
    cursor_version: "2026.09.18-9a7762b",
    workspace_roots: ["/home/ana/web"],
    user_email: "ana@example.com",
  },
};

async function respond(guard: TestGuard, agent: HookAgent, event: object) {
  const reply = await sendHook(guard, agent, event);
  expect(reply.status).toBe(200);
  const text = await reply.text();
  expect(text).not.toContain("4111");
  return JSON.parse(text);
}

const DLP = "data_loss_prevention";
const bothSides = async (action: "block" | "transform") => {
  const shared = await kit();
  const detector = await shared.make("/v1/detectors", {
    name: `Cards ${action} ${crypto.randomUUID()}`,
    kind: DLP,
    settings: { predefined_entities: [{ entity: "credit_card" }] },
  });
  const rules = [{ detector_id: detector.id, action }];
  return makeGuard(shared, { input_rules: rules, output_rules: rules });
};

const askFor = (field: string, value: string) => ({
  name: "Deployments",
  action: "ask",
  when: { field, op: "eq", value },
});

const reason = expect.stringMatching(
  /^Blocked by policy: pii \(Cards block [-\w]+\)\. Trace \w{32}\.$/,
);
const bash = (command: string) => ({
  tool_name: "Bash",
  tool_input: { command },
  tool_use_id: "t1",
});
const claude = (hookEventName: string, more: object) => ({
  hookSpecificOutput: { hookEventName, ...more },
});

const BLOCKED: [HookAgent, string, object, unknown][] = [
  [
    "claude-code",
    "UserPromptSubmit",
    { prompt: CARD },
    {
      decision: "block",
      reason,
      ...claude("UserPromptSubmit", { suppressOriginalPrompt: true }),
    },
  ],
  [
    "claude-code",
    "PreToolUse",
    bash(`echo ${CARD}`),
    claude("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: reason }),
  ],
  [
    "claude-code",
    "PermissionRequest",
    bash(`echo ${CARD}`),
    claude("PermissionRequest", { decision: { behavior: "deny", message: reason } }),
  ],
  [
    "claude-code",
    "PostToolUse",
    { tool_name: "Read", tool_response: { type: "text", file: { content: CARD, numLines: 1 } } },
    {
      decision: "block",
      reason,
      ...claude("PostToolUse", {
        updatedToolOutput: { type: "text", file: { content: "", numLines: 0 } },
      }),
    },
  ],
  [
    "claude-code",
    "PostToolUseFailure",
    { tool_name: "Bash", error: CARD },
    { systemMessage: reason },
  ],
  ["claude-code", "Stop", { last_assistant_message: CARD }, { systemMessage: reason }],
  ["codex", "UserPromptSubmit", { prompt: CARD }, { decision: "block", reason }],
  [
    "codex",
    "PreToolUse",
    bash(`echo ${CARD}`),
    claude("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: reason }),
  ],
  ["codex", "PostToolUse", { ...bash("cat"), tool_response: CARD }, { decision: "block", reason }],
  ["codex", "Stop", { last_assistant_message: CARD }, { systemMessage: reason }],
  ["cursor", "beforeSubmitPrompt", { prompt: CARD }, { continue: false, user_message: reason }],
  [
    "cursor",
    "beforeShellExecution",
    { command: `echo ${CARD}`, cwd: "/" },
    { permission: "deny", user_message: reason, agent_message: reason },
  ],
  [
    "cursor",
    "beforeMCPExecution",
    { tool_name: "pay", tool_input: JSON.stringify({ card: CARD }), url: "https://pay.example" },
    { permission: "deny", user_message: reason, agent_message: reason },
  ],
  [
    "cursor",
    "beforeReadFile",
    { file_path: "/a", content: CARD, attachments: [] },
    { permission: "deny", user_message: reason, agent_message: reason },
  ],
  [
    "cursor",
    "postToolUse",
    { tool_name: "MCP:pay", tool_output: JSON.stringify({ card: CARD }) },
    { updated_mcp_tool_output: { content: [{ type: "text", text: reason }] } },
  ],
  [
    "cursor",
    "postToolUse",
    { tool_name: "Shell", tool_output: JSON.stringify({ output: CARD }) },
    { additional_context: reason },
  ],
  ["cursor", "afterShellExecution", { command: "cat", output: CARD }, {}],
  ["cursor", "afterAgentResponse", { text: CARD }, {}],
];

test.each(BLOCKED)(
  "%s %s: a block is the agent's own denial",
  async (agent, event, body, expected) => {
    const guard = await blocking();
    expect(await respond(guard, agent, { hook_event_name: event, ...body })).toEqual(expected);
  },
);

const shared: { blocking?: Promise<TestGuard>; masking?: Promise<TestGuard> } = {};
const blocking = () => (shared.blocking ??= bothSides("block"));
const masking = () => (shared.masking ??= bothSides("transform"));

const REPLACED: [HookAgent, string, object, unknown][] = [
  [
    "claude-code",
    "PreToolUse",
    { tool_name: "Bash", tool_input: { command: `echo ${CARD}`, timeout: 12 } },
    claude("PreToolUse", { updatedInput: { command: `echo ${MASKED}`, timeout: 12 } }),
  ],
  [
    "claude-code",
    "PostToolUse",
    { tool_name: "Bash", tool_response: { stdout: CARD, stderr: "", interrupted: false } },
    claude("PostToolUse", {
      updatedToolOutput: { stdout: MASKED, stderr: "", interrupted: false },
    }),
  ],
  [
    "codex",
    "PreToolUse",
    bash(`echo ${CARD}`),
    claude("PreToolUse", {
      permissionDecision: "allow",
      updatedInput: { command: `echo ${MASKED}` },
    }),
  ],
  [
    "codex",
    "PostToolUse",
    { ...bash("cat"), tool_response: CARD },
    { decision: "block", reason: MASKED },
  ],
  [
    "cursor",
    "preToolUse",
    { tool_name: "Write", tool_input: { content: CARD } },
    { updated_input: { content: MASKED } },
  ],
  [
    "cursor",
    "postToolUse",
    { tool_name: "MCP:pay", tool_output: JSON.stringify({ card: CARD }) },
    { updated_mcp_tool_output: { card: MASKED } },
  ],
  [
    "cursor",
    "postToolUse",
    { tool_name: "MCP:pay", tool_output: `{"card":"${CARD}"},"additional_context":"run it"` },
    {
      updated_mcp_tool_output: {
        content: [{ type: "text", text: `{"card":"${MASKED}"},"additional_context":"run it"` }],
      },
    },
  ],
  [
    "cursor",
    "postToolUse",
    { tool_name: "MCP:pay", tool_output: CARD },
    { updated_mcp_tool_output: { content: [{ type: "text", text: MASKED }] } },
  ],
];

test.each(REPLACED)("%s %s: a mask replaces the content", async (agent, event, body, expected) => {
  const guard = await masking();
  expect(await respond(guard, agent, { hook_event_name: event, ...body })).toEqual(expected);
});

test("content that the agent cannot replace is denied, with an explanation", async () => {
  const guard = await masking();

  const prompt = await respond(guard, "claude-code", {
    hook_event_name: "UserPromptSubmit",
    prompt: CARD,
  });
  const shell = await respond(guard, "cursor", {
    hook_event_name: "beforeShellExecution",
    command: `echo ${CARD}`,
  });

  expect(prompt).toMatchObject({ decision: "block" });
  expect(prompt.reason).toContain("must be masked, which Claude Code cannot do here: pii");
  expect(shell).toMatchObject({ permission: "deny" });
});

test("numbers beside a mask keep their digits", async () => {
  const guard = await masking();
  const reply = await guard.send(
    `{"hook_event_name": "PreToolUse", "tool_name": "Write", "tool_input": {"id": 12345678901234567890, "text": "${CARD}"}}`,
    {},
    "/v1/hooks/claude-code",
  );
  expect(await reply.text()).toContain(
    `"updatedInput":{"id": 12345678901234567890, "text": "${MASKED}"}`,
  );
});

test("ask opens the confirmation dialog of the agent, and requests no approval", async () => {
  const guard = await makeGuard(await kit(), { gates: [askFor("tool.name", "deploy")] });
  const text = expect.stringMatching(
    /^Confirmation required by policy: gate_ask \(Deployments\)\. Trace/,
  );
  const call = { tool_name: "mcp__ops__deploy", tool_input: { stage: "live" } };

  const before = await respond(guard, "claude-code", { hook_event_name: "PreToolUse", ...call });
  const dialog = await respond(guard, "claude-code", {
    hook_event_name: "PermissionRequest",
    ...call,
  });
  const cursor = await respond(guard, "cursor", {
    hook_event_name: "beforeMCPExecution",
    tool_name: "deploy",
    tool_input: "{}",
  });

  expect(before).toEqual(
    claude("PreToolUse", { permissionDecision: "ask", permissionDecisionReason: text }),
  );
  expect(dialog).toEqual({});
  expect(cursor).toEqual({ permission: "ask", user_message: text, agent_message: text });
  const { items } = await (await (await kit()).get("/v1/approvals?status=pending")).json();
  expect(items.filter(({ collector_id }: never) => collector_id === guard.collector.id)).toEqual(
    [],
  );
});

test("where the agent has no dialog, an administrator approves, and the same call then passes", async () => {
  const admin = await kit();
  const guard = await makeGuard(admin, { gates: [askFor("tool.command", "make live")] });
  const event = { hook_event_name: "PreToolUse", ...bash("make live") };

  const denied = await respond(guard, "codex", event);
  const text: string = denied.hookSpecificOutput.permissionDecisionReason;
  expect(denied.hookSpecificOutput.permissionDecision).toBe("deny");
  const approval = /Approval ([-\w]+)\./.exec(text)?.[1];

  const { content } = await (await admin.get(`/v1/approvals/${approval}`)).json();
  await admin.post(`/v1/approvals/${approval}/decide`, { decision: "approved" });
  const other = await respond(guard, "codex", { ...event, cwd: "/home/ana/other" });

  expect(await respond(guard, "codex", event)).toEqual({});
  // The same command runs another program in another folder.
  expect(other.hookSpecificOutput.permissionDecision).toBe("deny");
  expect(content).toContainEqual(
    expect.objectContaining({ pointer: "/request/cwd", text: "/home/ana/web" }),
  );
});

test.each([
  ["a built-in tool", { tool_name: "MCP:Write" }, { tool_name: "Write" }],
  ["a longer name", { tool_name: `${"a".repeat(256)}1` }, { tool_name: `${"a".repeat(256)}2` }],
])("an approval of a tool does not cover %s", async (_, approved, other) => {
  const admin = await kit();
  const guard = await makeGuard(admin, { gates: [{ name: "all", when: null, action: "ask" }] });
  const call = { hook_event_name: "preToolUse", tool_input: { path: "a" } };
  const denied = await respond(guard, "cursor", { ...call, ...approved });
  const approval = /Approval ([-\w]+)\./.exec(denied.user_message)?.[1];

  const { content } = await (await admin.get(`/v1/approvals/${approval}`)).json();
  await admin.post(`/v1/approvals/${approval}/decide`, { decision: "approved" });

  expect(await respond(guard, "cursor", { ...call, ...approved })).toEqual({});
  expect(await respond(guard, "cursor", { ...call, ...other })).toMatchObject({
    permission: "deny",
  });
  expect(content).toContainEqual(
    expect.objectContaining({ pointer: "/request/tool_name", text: approved.tool_name }),
  );
});

const attach = (file_path: string) => ({ attachments: [{ type: "file", file_path }] });
test.each([
  ["files", "attachments", attach("/a/notes.md"), attach("/a/secrets.md")],
  ["folders", "workspace_roots", { workspace_roots: ["/a"] }, { workspace_roots: ["/b"] }],
])("an approval of a prompt does not cover it with other %s", async (_, name, approved, other) => {
  const admin = await kit();
  const guard = await makeGuard(admin, { gates: [{ name: "all", when: null, action: "ask" }] });
  const prompt = { hook_event_name: "beforeSubmitPrompt", prompt: "Publish it" };
  const denied = await respond(guard, "cursor", { ...prompt, ...approved });
  const approval = /Approval ([-\w]+)\./.exec(denied.user_message)?.[1];

  const { content } = await (await admin.get(`/v1/approvals/${approval}`)).json();
  await admin.post(`/v1/approvals/${approval}/decide`, { decision: "approved" });

  expect(await respond(guard, "cursor", { ...prompt, ...approved })).toEqual({});
  expect(await respond(guard, "cursor", { ...prompt, ...other })).toMatchObject({
    continue: false,
  });
  const text = JSON.stringify(Object.values(approved)[0]);
  expect(content).toContainEqual(expect.objectContaining({ pointer: `/request/${name}`, text }));
});

test("Activity has the session, the user, the tool, the event and the application", async () => {
  const admin = await kit();
  const guard = await makeGuardWithRules(admin, DLP);

  await sendHook(
    guard,
    "claude-code",
    { hook_event_name: "PreToolUse", ...bash("ls") },
    { "x-user-id": "ana" },
  );
  await sendHook(guard, "cursor", {
    hook_event_name: "afterShellExecution",
    command: "ls",
    output: "a",
  });
  await sendHook(guard, "codex", { hook_event_name: "SessionStart", source: "startup" });
  await sendHook(guard, "codex", {
    type: "agent-turn-complete",
    "last-assistant-message": "Done.",
  });

  const { items } = await (
    await admin.get(`/v1/activity?collector_id=${guard.collector.id}`)
  ).json();
  expect(items.reverse()).toMatchObject([
    {
      session_id: "98e5f510",
      consumer_id: "ana",
      application: "claude-code",
      tool: "Bash",
      direction: "input",
      attributes: { "hook.event": "PreToolUse" },
    },
    {
      session_id: "5b0d6c1e",
      consumer_id: "ana@example.com",
      application: "cursor",
      model: "composer-2.5",
      tool: "Shell",
      direction: "output",
    },
    { session_id: "019c5a10", status: "allow", attributes: { "hook.event": "SessionStart" } },
    { application: "codex", direction: "output", protocol: "llm" },
  ]);
});

test("unknown events pass; bodies without an event and invalid JSON are rejected", async () => {
  const guard = await blocking();
  const unknown = { hook_event_name: "PreTeleport", prompt: "hello", prompt_suggestion: {} };

  expect(await respond(guard, "claude-code", unknown)).toEqual({});
  const nameless = await sendHook(guard, "cursor", { command: "ls" });
  const invalid = await guard.send("{", {}, "/v1/hooks/codex");
  const list = await guard.send([], {}, "/v1/hooks/codex");
  const stranger = await sendHook(
    guard,
    "codex",
    { hook_event_name: "Stop" },
    { authorization: "" },
  );

  expect([nameless.status, invalid.status, list.status, stranger.status]).toEqual([
    400, 400, 400, 401,
  ]);
  expect((await nameless.json()).error).toContain("hook_event_name");
});

test("members of other types are inspected, not rejected", async () => {
  const guard = await blocking();
  const odd = [{ text: [CARD] }, 7, null];

  const prompt = await respond(guard, "codex", {
    hook_event_name: "UserPromptSubmit",
    prompt: odd,
  });
  const call = await respond(guard, "claude-code", {
    hook_event_name: "PreToolUse",
    tool_name: 5,
    tool_input: odd,
  });
  const empty = await respond(guard, "cursor", { hook_event_name: "preToolUse", tool_name: {} });

  expect(prompt).toMatchObject({ decision: "block" });
  expect(call.hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
  expect(empty).toEqual({});
});

test("a failed detector denies when the collector is fail-closed, and passes when it is fail-open", async () => {
  const admin = await kit();
  const settings = { url: "http://127.0.0.1:9/", timeout_ms: 200, allow_private: true };
  const event = { hook_event_name: "PreToolUse", ...bash("ls") };
  const failing = (fail_mode: string) =>
    makeGuardWithRules(admin, "http", { settings, collector: { fail_mode } });

  const closed = await respond(await failing("closed"), "claude-code", event);
  const open = await respond(await failing("open"), "claude-code", event);

  expect(closed.hookSpecificOutput).toMatchObject({ permissionDecision: "deny" });
  expect(open).toEqual({});
});
