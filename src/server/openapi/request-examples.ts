/** Example bodies and ids for the API reference. */

const IDS: Record<string, string> = {
  gateway_id: "019c5a10-6f2b-7d31-8a4e-2b90c7f4d101",
  registry_id: "019c5a10-7c40-7a52-9b1d-64e8f0a3b202",
  consumer_id: "019c5a10-8d55-7f63-8c2e-75f901b4c303",
  key_id: "019c5a10-9e66-7074-9d3f-860a12c5d404",
  token_id: "019c5a10-af77-7185-8e40-971b23d6e505",
};

/** Path parameters that are not ids. */
const NAMES: Record<string, string> = {
  code: "com.notion/mcp",
  server_name: "com.notion/mcp",
  version: "latest",
};

/** Returns the example of a path parameter. */
export const exampleId = (name: string): string =>
  IDS[name] ?? NAMES[name] ?? "019c5a10-b088-7296-9f51-a82c34e7f606";

/** By the name of the endpoint. A test validates each against the schema of its endpoint. */
export const BODY_EXAMPLES: Record<string, unknown> = {
  create_gateway: { name: "Support", slug: "support", metadata: { team: "support" } },
  update_gateway: { metadata: { team: "support", stage: "production" } },
  configure_gateway: { required_plugins: [] },
  reconfigure_gateway: { required_plugins: [] },
  create_registry: {
    name: "OpenAI",
    provider: "openai",
    auth: { type: "api_key", api_key: "sk-your-key" },
  },
  update_registry: { enabled: false },
  test_registry_connection: { id: exampleId("registry_id") },
  create_consumer: {
    name: "Support assistant",
    slug: "assistant",
    registries: [
      {
        id: exampleId("registry_id"),
        models: { allowed: ["gpt-4o*"], default: "gpt-4o-mini" },
      },
    ],
  },
  update_consumer: { balancing: { algorithm: "latency" } },
  create_consumer_key: { name: "Production", expires_at: "2030-01-01T00:00:00Z" },
  rotate_consumer_key: { overlap_s: 3600 },
  create_detector: { name: "Personal data", kind: "data_loss_prevention", settings: {} },
  update_detector: { enabled: false },
  create_policy: {
    name: "Customer support",
    mode: "enforce",
    gates: [
      {
        name: "No shell",
        when: { field: "tool.name", op: "in", value: ["bash", "Bash", "shell", "Shell"] },
        action: "block",
      },
    ],
    input_rules: [{ detector_id: exampleId("detector_id"), action: "transform" }],
    output_rules: [{ detector_id: exampleId("detector_id"), action: "block" }],
  },
  create_policy_with_detectors: {
    name: "Customer support",
    detectors: [{ name: "Personal data", kind: "data_loss_prevention", settings: {} }],
    input_rules: [{ detector: "Personal data", action: "transform" }],
  },
  update_policy: { mode: "observe" },
  test_policy: { payload: { input: "My card is 4111 1111 1111 1111." } },
  replay_policy: { limit: 100 },
  create_exception: {
    passage_sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    reason: "Our style guide addresses the assistant.",
  },
  update_exception: { expires_at: "2030-01-01T00:00:00Z" },
  create_collector: { name: "Support assistant", default_policy_id: exampleId("policy_id") },
  update_collector: { content_storage: "none" },
  create_collector_key: { name: "Production", expires_at: "2030-01-01T00:00:00Z" },
  rotate_collector_key: { overlap_s: 3600 },
  create_service_client: { name: "Gateway" },
  rotate_service_client: { overlap_s: 3600 },
  set_override: { policy_id: exampleId("policy_id") },
  evaluate_claude_code_hook: {
    session_id: "0f7c9a52",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "rm -rf build" },
  },
  evaluate_cursor_hook: {
    conversation_id: "5b0d6c1e",
    hook_event_name: "beforeShellExecution",
    command: "rm -rf build",
    user_email: "ana@example.com",
  },
  evaluate_codex_hook: {
    session_id: "019c5a10",
    hook_event_name: "UserPromptSubmit",
    prompt: "Remove the build folder.",
  },
  litellm_guardrail: {
    input_type: "request",
    texts: ["My card is 4111 1111 1111 1111."],
    request_data: { user_api_key_end_user_id: "ana" },
    model: "gpt-4o",
  },
  evaluate: {
    payload: { messages: [{ role: "user", content: "My card is 4111 1111 1111 1111." }] },
    direction: "input",
    protocol: "llm",
    session_id: "conversation-1",
    consumer_id: "ana@example.com",
  },
  guard: { payload: { input: "My card is 4111 1111 1111 1111." } },
  evaluate_batch: [{ payload: { input: "One text." } }, { payload: { input: "Another." } }],
  issue_service_token: {
    grant_type: "client_credentials",
    client_id: exampleId("key_id"),
    client_secret: "ps_your-secret",
  },
  decide_approval: { decision: "approved", note: "Known customer." },
  set_feedback: { finding: 0, mark: "incorrect" },
  erase_activity: { consumer_id: "ana@example.com" },
  create_access_rule: {
    subject_type: "group",
    subject: "engineering",
    target_type: "category",
    target: "development",
    level: "install",
  },
  update_access_rule: { level: "request" },
  explain_access: { principal_sub: "alice", groups: ["engineering"], code: "com.notion/mcp" },
  create_issuer: {
    name: "Company login",
    issuer: "https://login.example.com",
    audience: "https://gateway.example.com/me/mcp",
    jwks_url: "https://login.example.com/.well-known/jwks.json",
  },
  update_issuer: { groups_claim: "roles" },
  create_principal_token: { name: "Laptop", principal_sub: "alice", groups: ["engineering"] },
  create_catalog_entry: {
    code: "com.example/tickets",
    name: "Tickets",
    category: "support",
    url: "https://mcp.example.com/mcp",
    auth: { type: "oauth" },
  },
  update_catalog_entry: { status: "hidden" },
  import_catalog: { registry_url: "https://registry.modelcontextprotocol.io", search: "tickets" },
  install_for_principal: {
    code: "com.notion/mcp",
    principal_sub: "alice",
    groups: ["engineering"],
    reason: "I keep our release notes there",
  },
  configure_install: { values: { tenant: "acme" } },
  bulk_install: { code: "com.notion/mcp", group: "engineering" },
  approve_store_request: { expires_at: "2030-01-01T00:00:00Z" },
  reject_store_request: { note: "Use the shared workspace instead." },
  sign_in: { token: "pa_your-token" },
  create_token: { name: "Deployment", role: "admin", gateway_ids: [exampleId("gateway_id")] },
};
